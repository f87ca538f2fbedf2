/** What the replicas of a simulation computed when: how long steps took, and what was in them. */
import { markup } from '../../base/index.ts';
import { type Chart, type XyPoint, xyChart } from '../../charts/index.ts';
import { chartFigure } from '../../page/index.ts';
import type { StepLog, StepRow } from '../../record/index.ts';
import { countFigure } from '../figures.ts';
import { type ReplicaSteps, stepsByReplica } from '../replica-steps.ts';
import { countTick, msTick, secondsAxis } from './axes.ts';
import type { PointContent } from './point-section.ts';

/** Bins over the whole point: a chart shows hardly more. */
const BINS = 240;
/** Replicas shown one by one. */
const REPLICAS_MAX = 4;

/** Nothing where the steps were not kept (`null`). `prefix` keeps names on the page apart. */
export function stepContent(log: StepLog | null, prefix: string): PointContent {
  if (log === null || log.rows.length === 0) return { body: markup``, charts: [] };
  const replicas = stepsByReplica(log.rows);
  const endNs = log.rows.reduce((last, row) => Math.max(last, row.startNs + row.durationNs), 0);
  const shown = replicas.slice(0, REPLICAS_MAX).map((one) => ({
    name: one.name,
    bins: binned(one.rows, endNs),
  }));
  const charts = [
    durationChart(shown, prefix),
    ...shown.map((one, at) => batchChart(one, `${prefix}step-batch-${at}`)),
    queueChart(shown, prefix),
    ...(log.rows.every(({ usedBlockCount }) => usedBlockCount === null)
      ? []
      : [blocksChart(shown, prefix)]),
  ];
  const sample = sampleText(log, replicas, endNs);
  const body = markup`<h3>Steps</h3>
<p class="soft">${sample}</p>
<div class="charts">${charts.map((chart) => chartFigure(chart, 'Means of each bin; a gap where nothing was computed.'))}</div>`;
  return { body, charts };
}

/** `1,204 steps of 2 replicas, in 240 bins of 125 ms. Steps after 12 s were not kept.` */
function sampleText(
  { rows, cutNs }: StepLog,
  replicas: readonly ReplicaSteps[],
  endNs: number,
): string {
  const steps = rows.reduce((sum, row) => sum + row.stepCount, 0);
  const many = replicas.length;
  const who = many === 1 ? '1 replica' : `${countFigure(many)} replicas`;
  const only = many > REPLICAS_MAX ? ` The first ${REPLICAS_MAX} replicas are shown.` : '';
  const cut = cutNs === null ? '' : ` Steps after ${countTick(cutNs / 1e9)} s were not kept.`;
  const bin = msTick(endNs / 1e6 / BINS);
  return `${countFigure(steps)} steps of ${who}, in ${BINS} bins of ${bin}.${only}${cut}`;
}

/** Sums over one bin of time; a step that lies in several counts for its share of each. */
interface StepBin {
  busyNs: number;
  steps: number;
  longestNs: number;
  prefillTokens: number;
  decodeTokens: number;
  /** Times the nanoseconds they lasted. */
  running: number;
  waiting: number;
  blocks: number;
}

interface ShownReplica {
  readonly name: string;
  readonly bins: readonly Binned[];
}

interface Binned {
  readonly seconds: number;
  readonly bin: StepBin;
}

function binned(rows: readonly StepRow[], endNs: number): Binned[] {
  const widthNs = endNs / BINS;
  const bins = Array.from({ length: BINS }, (_, at): Binned => {
    const bin = { busyNs: 0, steps: 0, longestNs: 0, prefillTokens: 0, decodeTokens: 0 };
    const seconds = Math.round(((at + 0.5) * widthNs) / 1e3) / 1e6;
    return { seconds, bin: { ...bin, running: 0, waiting: 0, blocks: 0 } };
  });
  for (const row of rows) {
    const toNs = row.startNs + row.durationNs;
    const last = Math.min(BINS - 1, Math.floor(toNs / widthNs));
    for (let at = Math.floor(row.startNs / widthNs); at <= last; at += 1) {
      const overlapNs = Math.min(toNs, (at + 1) * widthNs) - Math.max(row.startNs, at * widthNs);
      const into = bins[at]?.bin;
      if (into !== undefined && overlapNs > 0) addShare(into, row, overlapNs);
    }
  }
  return bins;
}

function addShare(bin: StepBin, row: StepRow, overlapNs: number): void {
  const steps = (row.stepCount * overlapNs) / row.durationNs;
  bin.busyNs += overlapNs;
  bin.steps += steps;
  bin.longestNs = Math.max(bin.longestNs, row.durationNs / row.stepCount);
  bin.prefillTokens += steps * row.prefillTokens;
  bin.decodeTokens += steps * row.decodeCount;
  bin.running += overlapNs * row.runningCount;
  bin.waiting += overlapNs * row.waitingCount;
  bin.blocks += overlapNs * (row.usedBlockCount ?? 0);
}

/** `value` of every bin in which something was computed. */
function curve(bins: readonly Binned[], value: (bin: StepBin) => number): XyPoint[] {
  return bins.map(({ seconds, bin }) => ({
    x: seconds,
    y: bin.busyNs === 0 ? null : Number(value(bin).toPrecision(5)),
  }));
}

const TIME_AXIS = secondsAxis('time since the start of the run');

function durationChart(shown: readonly ShownReplica[], prefix: string): Chart {
  const only = shown.length === 1 ? shown[0] : undefined;
  const longest =
    only === undefined
      ? []
      : [{ name: 'longest', points: curve(only.bins, ({ longestNs }) => longestNs / 1e6) }];
  const means = shown.map(({ name, bins }) => ({
    name: only === undefined ? name : 'mean',
    points: curve(bins, ({ busyNs, steps }) => busyNs / steps / 1e6),
  }));
  return xyChart({
    name: `${prefix}step-duration`,
    title: 'Duration of a step',
    description:
      'How long a step took over time: every decoding request waits so long for a token.',
    x: TIME_AXIS,
    y: { name: 'duration of a step', kind: 'linear', format: msTick },
    series: [...means, ...longest].map((one) => ({ ...one, draw: 'line', dots: false })),
    references: [],
  });
}

function batchChart({ name, bins }: ShownReplica, chartName: string): Chart {
  const decode = curve(bins, ({ decodeTokens, steps }) => decodeTokens / steps);
  const prefill = curve(bins, ({ prefillTokens, steps }) => prefillTokens / steps);
  return xyChart({
    name: chartName,
    title: `Tokens of a step, ${name}`,
    description: `Tokens that a step of ${name} computes: one for each decoding request, and those of prompts.`,
    x: TIME_AXIS,
    y: { name: 'tokens of a step', kind: 'linear', format: countTick },
    series: [
      { name: 'prefill', draw: 'line', dots: false, points: prefill },
      { name: 'decode', draw: 'line', dots: false, points: decode },
    ],
    references: [],
  });
}

function queueChart(shown: readonly ShownReplica[], prefix: string): Chart {
  const series = shown.flatMap(({ name, bins }) => {
    const of = shown.length === 1 ? '' : `, ${name}`;
    return [
      { name: `waiting${of}`, points: curve(bins, ({ waiting, busyNs }) => waiting / busyNs) },
      { name: `running${of}`, points: curve(bins, ({ running, busyNs }) => running / busyNs) },
    ];
  });
  return xyChart({
    name: `${prefix}step-queue`,
    title: 'Waiting and running requests',
    description: 'Requests that hold a place in the batch, and those that wait for one, over time.',
    x: TIME_AXIS,
    y: { name: 'requests', kind: 'linear', format: countTick },
    series: series.map((one) => ({ ...one, draw: 'line', dots: false })),
    references: [],
  });
}

function blocksChart(shown: readonly ShownReplica[], prefix: string): Chart {
  return xyChart({
    name: `${prefix}step-blocks`,
    title: 'KV memory held',
    description: 'Blocks of KV memory that requests hold, over time.',
    x: TIME_AXIS,
    y: { name: 'blocks', kind: 'linear', format: countTick },
    series: shown.map(({ name, bins }) => ({
      name,
      draw: 'line',
      dots: false,
      points: curve(bins, ({ blocks, busyNs }) => blocks / busyNs),
    })),
    references: [],
  });
}
