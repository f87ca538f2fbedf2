/** The scrapes of a load point → what the servers did between the first and the last. */
import {
  MEAN_GAUGES,
  type ServerCounter,
  type ServerGauge,
  type ServerHistogram,
} from './engine-metrics.ts';
import { addHistograms, type HistogramCounts } from './histogram-counts.ts';
import { histogramIncrease } from './histogram-counts.ts';
import { type EngineReading, readScrape } from './read-scrape.ts';
import type { Scrape } from './scrape.ts';

/** One address, and how far it can be believed. */
export interface ServerEndpoint {
  readonly url: string;
  /** `null` when nothing that it said was of a known engine. */
  readonly engine: string | null;
  readonly scrapes: number;
  readonly failures: number;
  readonly lastFailure: string | null;
  /** The first and the last answer, outer edges; `null` with fewer than two. */
  readonly window: { readonly fromNs: number; readonly toNs: number } | null;
  /** Between how many neighbouring answers a counter went back. */
  readonly fallCount: number;
}

/** A gauge over the looks during the load at which every endpoint answered. */
export interface GaugeOverTime {
  readonly mean: number;
  readonly max: number;
  readonly looks: number;
}

/**
 * What the servers say of one load point, all endpoints together. Counters and histograms are what
 * came between the first and the last scrape, which enclose the load: not the judged window.
 */
export interface ServerPoint {
  readonly pointIndex: number;
  readonly endpoints: readonly ServerEndpoint[];
  /** Requests are added over endpoints; of means, the mean and the greatest. */
  readonly gauges: Readonly<Partial<Record<ServerGauge, GaugeOverTime>>>;
  readonly counters: Readonly<Partial<Record<ServerCounter, number>>>;
  readonly histograms: Readonly<Partial<Record<ServerHistogram, HistogramCounts>>>;
  readonly caveats: readonly string[];
}

/** One restart can be told from its counters; more falls are no single server. */
const MOST_FALLS = 1;

interface Look {
  readonly scrape: Scrape;
  readonly reading: EngineReading;
}

/** Pure. The scrapes of one endpoint must be in order of time. */
export function serverPoint(pointIndex: number, scrapes: readonly Scrape[]): ServerPoint {
  const urls = [...new Set(scrapes.map(({ url }) => url))];
  const looks: Look[] = scrapes.flatMap((scrape) => {
    const reading = scrape.text === null ? null : readScrape(scrape.text);
    return reading === null ? [] : [{ scrape, reading }];
  });
  const looksAt = (url: string): readonly Look[] =>
    looks.filter(({ scrape }) => scrape.url === url);
  const increases = urls.map((url) => increaseOver(looksAt(url)));
  const trusted = increases.filter(({ fallCount }) => fallCount <= MOST_FALLS);
  return {
    pointIndex,
    endpoints: urls.map((url, at) =>
      endpointFacts(
        url,
        scrapes.filter((scrape) => scrape.url === url),
        looksAt(url),
        increases[at]?.fallCount ?? 0,
      ),
    ),
    gauges: gaugesOverTime(looks, urls.length),
    counters: addedCounters(trusted),
    histograms: addedHistograms(trusted),
    caveats: [...new Set(looks.flatMap(({ reading }) => reading.caveats))],
  };
}

function endpointFacts(
  url: string,
  scrapes: readonly Scrape[],
  looks: readonly Look[],
  fallCount: number,
): ServerEndpoint {
  const failed = scrapes.filter(({ text }) => text === null);
  const [first] = looks;
  const last = looks.at(-1);
  return {
    url,
    engine: last?.reading.engine ?? null,
    scrapes: scrapes.length,
    failures: failed.length,
    lastFailure: failed.at(-1)?.failure ?? null,
    window:
      first === undefined || last === undefined || first === last
        ? null
        : { fromNs: first.scrape.sentNs, toNs: last.scrape.receivedNs },
    fallCount,
  };
}

interface Increase {
  readonly counters: ReadonlyMap<ServerCounter, number>;
  readonly histograms: ReadonlyMap<ServerHistogram, HistogramCounts>;
  readonly fallCount: number;
}

/** Steps from answer to answer. After a fall a server has counted from 0, as Prometheus assumes. */
function increaseOver(looks: readonly Look[]): Increase {
  const counters = new Map<ServerCounter, number>();
  const histograms = new Map<ServerHistogram, HistogramCounts>();
  let fallCount = 0;
  for (const [at, { reading }] of looks.entries()) {
    const before = looks[at - 1]?.reading;
    if (before === undefined) continue;
    let fell = false;
    for (const [measure, value] of reading.counters) {
      // A counter that is not there yet has counted nothing.
      const earlier = before.counters.get(measure) ?? 0;
      fell ||= value < earlier;
      const step = value < earlier ? value : value - earlier;
      counters.set(measure, (counters.get(measure) ?? 0) + step);
    }
    for (const [measure, counts] of reading.histograms) {
      const earlier = before.histograms.get(measure);
      const increase = earlier === undefined ? counts : histogramIncrease(earlier, counts);
      fell ||= increase === null;
      const sofar = histograms.get(measure);
      const sum = addHistograms([...(sofar === undefined ? [] : [sofar]), increase ?? counts]);
      if (sum !== null) histograms.set(measure, sum);
    }
    if (fell) fallCount += 1;
  }
  return { counters, histograms, fallCount };
}

function addedCounters(increases: readonly Increase[]): ServerPoint['counters'] {
  const counters: Partial<Record<ServerCounter, number>> = {};
  for (const increase of increases) {
    for (const [measure, value] of increase.counters) {
      counters[measure] = (counters[measure] ?? 0) + value;
    }
  }
  return counters;
}

function addedHistograms(increases: readonly Increase[]): ServerPoint['histograms'] {
  const parts = new Map<ServerHistogram, HistogramCounts[]>();
  for (const { histograms } of increases) {
    for (const [measure, counts] of histograms) {
      parts.set(measure, [...(parts.get(measure) ?? []), counts]);
    }
  }
  return Object.fromEntries(
    [...parts].map(([measure, counts]) => [measure, addHistograms(counts)]),
  ) as ServerPoint['histograms'];
}

const GAUGES: readonly ServerGauge[] = ['running', 'waiting', ...MEAN_GAUGES];

function gaugesOverTime(looks: readonly Look[], endpoints: number): ServerPoint['gauges'] {
  const beats = new Map<number, EngineReading[]>();
  for (const { scrape, reading } of looks) {
    if (scrape.phase !== 'during') continue;
    beats.set(scrape.beat, [...(beats.get(scrape.beat) ?? []), reading]);
  }
  const whole = [...beats.values()].filter((readings) => readings.length === endpoints);
  const gauges: Partial<Record<ServerGauge, GaugeOverTime>> = {};
  for (const gauge of GAUGES) {
    const isMean = MEAN_GAUGES.has(gauge);
    const values = whole
      .map((readings) => readings.flatMap((reading) => reading.gauges.get(gauge) ?? []))
      .filter((found) => found.length > 0);
    if (values.length === 0) continue;
    const sums = values.map(total);
    const means = isMean ? values.map((found) => total(found) / found.length) : sums;
    const peaks = isMean ? values.map((found) => Math.max(...found)) : sums;
    gauges[gauge] = {
      mean: total(means) / means.length,
      max: Math.max(...peaks),
      looks: values.length,
    };
  }
  return gauges;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
