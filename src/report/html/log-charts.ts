/** Charts of judged logs over time: attainment, the separate p95s, and what is spent of the budget. */
import { msFromNs } from '../../base/index.ts';
import {
  type Axis,
  type Chart,
  type Reference,
  xyChart,
  type XySeries,
} from '../../charts/index.ts';
import { isoInstant, type LogTable, type LogWindow } from '../../logs/index.ts';
import { burnRate, type Objective } from '../../slo/index.ts';
import { countFigure, levelFigure, shareFigure, shareRange } from '../figures.ts';
import { whereText } from '../log-report.ts';
import { panelText } from '../log-window-lines.ts';
import { countTick, latencyAxis, msTick, percentTick, SHARE_AXIS } from './axes.ts';

/** More lines than this cannot be told apart: the largest strata are drawn. */
const STRATA_DRAWN_MAX = 6;

/** A window that has a place in time. */
interface TimedWindow extends LogWindow {
  readonly fromUs: number;
}

/** Share of the offered requests that were good in each window, with its interval and the target. */
export function windowAttainmentChart(table: LogTable): Chart {
  const time = timeOf(table);
  return xyChart({
    name: 'log-attainment',
    title: 'Attainment over time',
    description: `Share of the offered requests that met every limit in ${table.windows.length} windows, with 95 % intervals; the target is ${percentTick(table.targetShare)}.`,
    x: time.axis,
    y: { name: 'good of offered', ...SHARE_AXIS, domain: [lowestTenth(table), 1] },
    series: strataOf(table).map(({ name, windows }) => ({
      name,
      draw: 'line',
      dots: true,
      points: windows.map((one) => {
        const { share, interval, offered } = one.attainment;
        const sure = one.lowTraffic ? null : interval;
        const range = sure === null ? '' : `, ${shareRange(sure.low, sure.high)}`;
        return {
          x: time.at(one),
          y: one.lowTraffic ? null : share,
          low: sure?.low ?? null,
          high: sure?.high ?? null,
          hollow: sure === null,
          tip: `${whereText(one)}: ${shareFigure(share)}${range}, n ${countFigure(offered)}`,
        };
      }),
    })),
    references: [targetLine(table.targetShare)],
  });
}

/** The p95 of one latency as a dashboard shows it; `null` when it was observed in no window. */
export function panelChart(
  measure: 'ttft' | 'tpot',
  table: LogTable,
  objective: Objective,
): Chart | null {
  const word = measure.toUpperCase();
  const strata = strataOf(table);
  if (strata.every(({ windows }) => windows.every((one) => one[measure].p95Ns === null))) {
    return null;
  }
  const time = timeOf(table);
  const pointOf = (one: TimedWindow) => {
    const { p95Ns } = one[measure];
    const y = p95Ns === null ? null : msFromNs(p95Ns);
    return { x: time.at(one), y, tip: `${whereText(one)}: ${panelText(one[measure])}` };
  };
  const lines = strata.map(({ name, windows }): XySeries => ({
    name,
    draw: 'line',
    dots: true,
    points: windows.map(pointOf),
  }));
  const misled = strata.flatMap(({ windows }) =>
    windows.filter(({ disagreement }) => disagreement === 'panelsPass').map(pointOf),
  );
  return xyChart({
    name: `log-${measure}`,
    title: `${word} p95 over time`,
    description: `The 95th percentile of ${word} in each window; ${misled.length} windows are marked where every p95 is within its limit and attainment misses.`,
    x: time.axis,
    y: latencyAxis(`${word} p95, ms`),
    series: [
      ...lines,
      { name: 'panels green, missed', draw: 'points', dots: true, points: misled, tone: 'bad' },
    ],
    references: limitsOf(measure, objective),
  });
}

/** One line for each limit: a limit by prompt length has several. */
function limitsOf(measure: 'ttft' | 'tpot', { request }: Objective): Reference[] {
  const { ttft, tpot } = request;
  const all = measure === 'ttft' ? (ttft ?? []) : tpot === null ? [] : [tpot];
  return [...new Set(all.map(({ limitNs }) => msFromNs(limitNs)))].map((at) => ({
    axis: 'y',
    at,
    label: `limit ${msTick(at)}`,
    kind: 'limit',
  }));
}

/** Misses so far against those that the target allows of what was offered so far. */
export function budgetChart(table: LogTable): Chart {
  const time = timeOf(table);
  const allowedOfAll = table.budget?.allowedBad ?? 0;
  let bad = 0;
  let allowed = 0;
  const rows = instantsOf(table).map((one) => {
    bad += one.bad;
    allowed += one.offered * (table.budget?.budgetShare ?? 0);
    return { x: time.at({ fromUs: one.toUs }), bad, allowed };
  });
  const start = time.at({ fromUs: time.originUs });
  return xyChart({
    name: 'log-budget',
    title: 'Error budget spent',
    description: `Requests that were not good, added up over the period, against the ${levelFigure(allowedOfAll)} that the target allows.`,
    x: time.axis,
    y: { name: 'requests', kind: 'linear', format: countTick },
    series: [
      {
        name: 'missed so far',
        draw: 'line',
        dots: false,
        tone: 'bad',
        points: [{ x: start, y: 0 }, ...rows.map(({ x, bad: y }) => ({ x, y }))],
      },
      {
        name: 'allowed of those offered so far',
        draw: 'line',
        dots: false,
        tone: 'good',
        points: [{ x: start, y: 0 }, ...rows.map(({ x, allowed: y }) => ({ x, y }))],
      },
    ],
    references: [
      {
        axis: 'y',
        at: allowedOfAll,
        label: `allowed in all ${levelFigure(allowedOfAll)}`,
        kind: 'limit',
      },
    ],
  });
}

/** How many times faster than allowed each window spends: its share of misses / (1 − target). */
export function burnChart(table: LogTable): Chart {
  const time = timeOf(table);
  const { targetShare } = table;
  return xyChart({
    name: 'log-burn',
    title: 'Burn rate by window',
    description:
      'Share of misses in each window, divided by the share that may miss; at 1 the budget lasts exactly its period.',
    x: time.axis,
    y: { name: 'burn rate', kind: 'linear', format: (value) => `${countTick(value)}×` },
    series: [
      {
        name: 'all requests of a window',
        draw: 'line',
        dots: true,
        points: instantsOf(table).map((one) => {
          const y = burnRate({ targetShare, ...one });
          const counts = `${countFigure(one.bad)} of ${countFigure(one.offered)} missed`;
          return {
            x: time.at(one),
            y,
            tip: `${isoInstant(one.fromUs)}: ${levelFigure(y)}×, ${counts}`,
          };
        }),
      },
    ],
    references: [{ axis: 'y', at: 1, label: 'as fast as allowed', kind: 'limit' }],
  });
}

/** Where the axis begins: windows lie near their target, and whole axes would flatten them. */
function lowestTenth({ windows, targetShare }: LogTable): number {
  const lowest = windows.reduce((least, { attainment, lowTraffic }) => {
    const low = lowTraffic ? null : (attainment.interval?.low ?? attainment.share);
    return Math.min(least, low ?? 1);
  }, targetShare);
  return Math.max(0, Math.floor(10 * Math.min(lowest, 0.95)) / 10);
}

function targetLine(at: number): Reference {
  return { axis: 'y', at, label: `target ${percentTick(at)}`, kind: 'limit' };
}

/** Windows by stratum, the largest first; one stratum where results are split by time alone. */
function strataOf({ windows }: LogTable): { name: string; windows: TimedWindow[] }[] {
  const strata = new Map<string, TimedWindow[]>();
  for (const one of windows.filter(isTimed)) {
    const name = Object.values(one.stratum).join(' ');
    const known = strata.get(name);
    if (known === undefined) strata.set(name, [one]);
    else known.push(one);
  }
  const sizeOf = (all: readonly LogWindow[]): number =>
    all.reduce((sum, { attainment }) => sum + attainment.offered, 0);
  return [...strata]
    .map(([name, all]) => ({ name: name === '' ? 'all requests' : name, windows: all }))
    .toSorted((a, b) => sizeOf(b.windows) - sizeOf(a.windows))
    .slice(0, STRATA_DRAWN_MAX);
}

interface Instant {
  readonly fromUs: number;
  readonly toUs: number;
  readonly offered: number;
  /** Unknown counts against the budget. */
  readonly bad: number;
}

/** Windows of all strata together, in order of time. */
function instantsOf({ windows, by }: LogTable): Instant[] {
  const sums = new Map<number, Instant>();
  for (const { fromUs, attainment } of windows.filter(isTimed)) {
    const before = sums.get(fromUs);
    sums.set(fromUs, {
      fromUs,
      toUs: fromUs + (by.windowUs ?? 0),
      offered: (before?.offered ?? 0) + attainment.offered,
      bad: (before?.bad ?? 0) + attainment.offered - attainment.good,
    });
  }
  return [...sums.values()].toSorted((a, b) => a.fromUs - b.fromUs);
}

function isTimed(one: LogWindow): one is TimedWindow {
  return one.fromUs !== null;
}

interface TimeScale {
  readonly originUs: number;
  readonly axis: Axis;
  readonly at: (one: { readonly fromUs: number }) => number;
}

const UNITS = [
  { name: 'days', us: 86_400e6 },
  { name: 'hours', us: 3_600e6 },
  { name: 'minutes', us: 60e6 },
  { name: 'seconds', us: 1e6 },
] as const;

/** Counted from the first window, in the largest unit of which there are three. */
function timeOf(table: LogTable): TimeScale {
  const instants = instantsOf(table);
  const originUs = instants[0]?.fromUs ?? 0;
  const spanUs = (instants.at(-1)?.toUs ?? 0) - originUs;
  const unit = UNITS.find(({ us }) => spanUs >= 3 * us) ?? { name: 'seconds', us: 1e6 };
  return {
    originUs,
    axis: {
      name: `${unit.name} since ${isoInstant(originUs)}`,
      kind: 'linear',
      format: countTick,
    },
    at: ({ fromUs }) => (fromUs - originUs) / unit.us,
  };
}
