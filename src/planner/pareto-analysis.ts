/** From the draws of a sweep over server settings and loads to its frontier, points accounted for. */
import { middleDraw, type OperatingPoint, paretoFrontier, toRepeat } from './pareto.ts';

/** What a frontier trades: throughput of either kind against a latency of either kind. */
export interface ParetoAxes {
  readonly gain: 'outputTokens' | 'goodRequests';
  readonly latency: 'tpotP50' | 'ttftP95';
}

/** One measurement of one server setting at one load. `null` = not observed. */
export interface ParetoDraw {
  /** Most sequences of the server's batch; `null` where that was not varied. */
  readonly batch: number | null;
  readonly level: number;
  /** The load for people: `8 streams`. */
  readonly load: string;
  readonly outputTokensPerSecond: number | null;
  readonly goodRps: number | null;
  readonly tpotP50Ns: number | null;
  readonly ttftP95Ns: number | null;
  readonly attainmentShare: number | null;
  /** What the population targets came to; `null` without targets. */
  readonly target: 'met' | 'missed' | 'notEnoughData' | null;
  /** Why it cannot be compared, as text; `null` when it can. */
  readonly unusable: string | null;
}

/** All draws of one setting at one load, and its place. */
export interface ParetoPoint extends Omit<ParetoDraw, 'unusable'> {
  readonly draws: number;
  readonly outputTokensPerSecondPerGpu: number | null;
  /** Output tokens per second that one user sees: 1 / TPOT. */
  readonly userTps: number | null;
  /**
   * `dominated`: another point gives at least as much at no more latency. `outside`: it did not
   * meet the objective in every draw, so it competes with nobody.
   */
  readonly place: 'frontier' | 'dominated' | 'outside' | 'leftOut';
  /** Why it was left out; `null` unless it was. */
  readonly reason: string | null;
  /** The two axes over its draws, lowest and highest; `null` when left out. */
  readonly spread: {
    readonly gain: { readonly low: number; readonly high: number };
    readonly latencyNs: { readonly low: number; readonly high: number };
  } | null;
}

export interface ParetoResult {
  readonly axes: ParetoAxes;
  /** Draws that a point of the frontier rests on. */
  readonly drawsAsked: number;
  readonly gpus: number | null;
  /** By batch, then load. */
  readonly points: readonly ParetoPoint[];
  readonly dominatedCount: number;
  readonly outsideCount: number;
  readonly leftOutCount: number;
}

/** A point's draws as they come in. */
interface Drawn {
  readonly all: readonly ParetoDraw[];
  readonly draws: readonly OperatingPoint[];
  readonly reason: string | null;
}

/** A setting and load whose place on the frontier rests on too few draws. */
export type ParetoRepeat = Pick<ParetoDraw, 'batch' | 'level'>;

/** The settings and loads to draw again before the frontier may be shown; none when it may. */
export function repeatsOf(
  draws: readonly ParetoDraw[],
  axes: ParetoAxes,
  drawsAsked: number,
): ParetoRepeat[] {
  return toRepeat(drawnPoints(draws, axes).filter(competes), drawsAsked).map(({ all }) => {
    const { batch, level } = all[0] as ParetoDraw;
    return { batch, level };
  });
}

/** The frontier, what it dominates and what could not be compared. */
export function paretoOf(
  draws: readonly ParetoDraw[],
  options: {
    readonly axes: ParetoAxes;
    readonly drawsAsked: number;
    /** Accelerators behind the target; `null` = not known. */
    readonly gpus: number | null;
  },
): ParetoResult {
  const { axes, drawsAsked, gpus } = options;
  const drawn = drawnPoints(draws, axes);
  const usable = drawn.filter(competes);
  const frontier = new Set(
    paretoFrontier(usable.map((point) => ({ point, ...middleDraw(point) }))).map(
      ({ point }) => point,
    ),
  );
  const points = drawn.map((point) =>
    paretoPoint(
      point,
      frontier.has(point) ? 'frontier' : competes(point) ? 'dominated' : 'outside',
      gpus,
    ),
  );
  const countOf = (place: ParetoPoint['place']): number =>
    points.filter((point) => point.place === place).length;
  return {
    axes,
    drawsAsked,
    gpus,
    points,
    dominatedCount: countOf('dominated'),
    outsideCount: countOf('outside'),
    leftOutCount: countOf('leftOut'),
  };
}

function drawnPoints(draws: readonly ParetoDraw[], axes: ParetoAxes): Drawn[] {
  const byKey = new Map<string, ParetoDraw[]>();
  for (const draw of draws) {
    const key = `${draw.batch}/${draw.level}/${draw.load}`;
    byKey.set(key, [...(byKey.get(key) ?? []), draw]);
  }
  return [...byKey.values()]
    .toSorted(([a], [b]) => byBatchAndLevel(a as ParetoDraw, b as ParetoDraw))
    .map((all) => {
      const placed = all.flatMap((draw) => operatingPoint(draw, axes) ?? []);
      const reason = all.find(({ unusable }) => unusable !== null)?.unusable ?? null;
      const unseen = placed.length < all.length ? 'not observed' : null;
      return { all, draws: placed, reason: reason ?? unseen };
    });
}

/** Whether a point can be on the frontier: comparable, and within the objective if there is one. */
function competes({ all, reason }: Drawn): boolean {
  const target = worstTarget(all.map((draw) => draw.target));
  return reason === null && (target === null || target === 'met');
}

function byBatchAndLevel(a: ParetoDraw, b: ParetoDraw): number {
  return (a.batch ?? 0) - (b.batch ?? 0) || a.level - b.level;
}

function operatingPoint(draw: ParetoDraw, axes: ParetoAxes): OperatingPoint | null {
  const gain = axes.gain === 'outputTokens' ? draw.outputTokensPerSecond : draw.goodRps;
  const latencyNs = axes.latency === 'tpotP50' ? draw.tpotP50Ns : draw.ttftP95Ns;
  return gain === null || latencyNs === null ? null : { gain, latencyNs };
}

function paretoPoint(
  drawn: Drawn,
  place: Exclude<ParetoPoint['place'], 'leftOut'>,
  gpus: number | null,
): ParetoPoint {
  const { all, reason } = drawn;
  const [{ batch, level, load }] = all as readonly [ParetoDraw];
  const higher = (valueOf: (draw: ParetoDraw) => number | null): number | null =>
    middle(all.map(valueOf), 'higherIsBetter');
  const lower = (valueOf: (draw: ParetoDraw) => number | null): number | null =>
    middle(all.map(valueOf), 'lowerIsBetter');
  const tokens = higher((draw) => draw.outputTokensPerSecond);
  const tpotP50Ns = lower((draw) => draw.tpotP50Ns);
  return {
    batch,
    level,
    load,
    draws: all.length,
    outputTokensPerSecond: tokens,
    outputTokensPerSecondPerGpu: tokens === null || gpus === null ? null : tokens / gpus,
    goodRps: higher((draw) => draw.goodRps),
    tpotP50Ns,
    userTps: tpotP50Ns === null || tpotP50Ns <= 0 ? null : 1e9 / tpotP50Ns,
    ttftP95Ns: lower((draw) => draw.ttftP95Ns),
    attainmentShare: higher((draw) => draw.attainmentShare),
    target: worstTarget(all.map((draw) => draw.target)),
    place: reason === null ? place : 'leftOut',
    reason,
    spread: reason === null ? spreadOf(drawn.draws) : null,
  };
}

/** As `middleDraw` has it; `null` unless every draw observed it. */
function middle(
  values: readonly (number | null)[],
  order: 'higherIsBetter' | 'lowerIsBetter',
): number | null {
  const seen = values.filter((value) => value !== null);
  if (seen.length < values.length) return null;
  const sign = order === 'higherIsBetter' ? -1 : 1;
  return seen.toSorted((a, b) => sign * (a - b))[seen.length >> 1] ?? null;
}

/** Compliant is only what met its targets every time. */
function worstTarget(targets: readonly ParetoDraw['target'][]): ParetoDraw['target'] {
  const order = ['missed', 'notEnoughData', 'met'] as const;
  return order.find((state) => targets.includes(state)) ?? null;
}

function spreadOf(draws: readonly OperatingPoint[]): NonNullable<ParetoPoint['spread']> {
  const range = (values: readonly number[]) => ({
    low: Math.min(...values),
    high: Math.max(...values),
  });
  return {
    gain: range(draws.map(({ gain }) => gain)),
    latencyNs: range(draws.map(({ latencyNs }) => latencyNs)),
  };
}
