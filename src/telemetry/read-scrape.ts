/** One scrape → one engine's readings, by whichever table names most of what is there. */
import {
  type MetricFamily,
  type MetricSample,
  parseMetrics,
  readHistograms,
} from '../prometheus/index.ts';
import {
  comparableName,
  ENGINE_METRICS,
  type EngineMetrics,
  MEAN_GAUGES,
  type MetricAlias,
  type ServerCounter,
  type ServerGauge,
  type ServerHistogram,
} from './engine-metrics.ts';
import { addHistograms, type HistogramCounts, histogramCounts } from './histogram-counts.ts';

/** What a server says of itself at one moment. A measure that it does not publish is absent. */
export interface EngineReading {
  readonly engine: string;
  /** Counts of requests are added over label sets; of means, the greatest. */
  readonly gauges: ReadonlyMap<ServerGauge, number>;
  readonly counters: ReadonlyMap<ServerCounter, number>;
  readonly histograms: ReadonlyMap<ServerHistogram, HistogramCounts>;
  readonly caveats: readonly string[];
}

/** `null` when the text names nothing of any known engine. */
export function readScrape(text: string): EngineReading | null {
  const { families } = parseMetrics(text);
  const readings = ENGINE_METRICS.map((table) => readingBy(table, families));
  const size = ({ gauges, counters, histograms }: EngineReading): number =>
    gauges.size + counters.size + histograms.size;
  const best = readings.reduce((a, b) => (size(b) > size(a) ? b : a));
  return size(best) === 0 ? null : best;
}

function readingBy(table: EngineMetrics, families: readonly MetricFamily[]): EngineReading {
  const samples = groupedBy(
    families.flatMap((family) => family.samples),
    ({ name }) => comparableName(name),
  );
  const caveats = new Set<string>();
  const valuesOf = (alias: MetricAlias): readonly number[] => {
    const values = firstNamed(alias, samples)
      .filter((sample) => isCounted(sample, alias))
      .map(({ value }) => value)
      .filter(Number.isFinite);
    if (values.length > 0 && alias.caveat !== null) caveats.add(alias.caveat);
    return values;
  };
  const gauges = new Map<ServerGauge, number>();
  for (const [measure, alias] of entriesOf(table.gauges)) {
    const values = valuesOf(alias);
    if (values.length > 0)
      gauges.set(measure, MEAN_GAUGES.has(measure) ? Math.max(...values) : total(values));
  }
  const counters = new Map<ServerCounter, number>();
  for (const [measure, alias] of entriesOf(table.counters)) {
    const values = valuesOf(alias);
    if (values.length > 0) counters.set(measure, total(values));
  }
  const histograms = new Map<ServerHistogram, HistogramCounts>();
  const byName = groupedBy(families, ({ name }) => comparableName(name));
  for (const [measure, alias] of entriesOf(table.histograms)) {
    const parts = firstNamed(alias, byName).flatMap((family) => readHistograms(family));
    const counts = addHistograms(parts.map(histogramCounts));
    if (counts !== null) histograms.set(measure, counts);
  }
  return { engine: table.engine, gauges, counters, histograms, caveats: [...caveats] };
}

function isCounted({ labels }: MetricSample, { without }: MetricAlias): boolean {
  return without === null || labels[without.label] !== without.value;
}

function firstNamed<Item>(
  { names }: MetricAlias,
  items: ReadonlyMap<string, readonly Item[]>,
): readonly Item[] {
  for (const name of names) {
    const found = items.get(comparableName(name)) ?? [];
    if (found.length > 0) return found;
  }
  return [];
}

function groupedBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function entriesOf<Measure extends string>(
  aliases: Readonly<Partial<Record<Measure, MetricAlias>>>,
): readonly (readonly [Measure, MetricAlias])[] {
  return Object.entries(aliases) as [Measure, MetricAlias][];
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
