/** Axes: from figures to places in a drawing, and the ticks between. */
import { scaleLinear, scaleLog } from 'd3-scale';

/** How an axis reads: its name with the unit, its kind, how a tick is written. */
export interface Axis {
  readonly name: string;
  readonly kind: 'linear' | 'log';
  readonly format: (value: number) => string;
  /** Fixed ends; left out: the data's, rounded outwards (a linear axis starts at 0). */
  readonly domain?: readonly [number, number];
  /** Ticks for thin spaces. */
  readonly tickCount?: number;
}

export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly domain: readonly [number, number];
}

/** Values at or below 0 have no place on a log axis and are left out of its ends. */
export function scaleOf(
  axis: Axis,
  values: readonly number[],
  range: readonly [number, number],
): Scale {
  return axis.kind === 'log' ? logScale(axis, values, range) : linearScale(axis, values, range);
}

function linearScale(
  axis: Axis,
  values: readonly number[],
  range: readonly [number, number],
): Scale {
  const count = axis.tickCount ?? 6;
  const scale = scaleLinear().range([...range]);
  if (axis.domain === undefined) {
    const highest = largest(values) ?? 0;
    scale.domain([Math.min(0, smallest(values) ?? 0), highest <= 0 ? 1 : highest]).nice(count);
  } else {
    scale.domain([...axis.domain]);
  }
  return { at: scale, ticks: scale.ticks(count), domain: endsOf(scale.domain()) };
}

function logScale(axis: Axis, values: readonly number[], range: readonly [number, number]): Scale {
  const positive = values.filter((value) => value > 0);
  const low = axis.domain?.[0] ?? (smallest(positive) ?? 1) * 0.9;
  const high = axis.domain?.[1] ?? (largest(positive) ?? 10) * 1.1;
  const scale = scaleLog()
    .domain([low, high])
    .range([...range]);
  // Beyond three decades only powers of ten stay apart; below one, even steps read better.
  const decades = Math.log10(high / low);
  if (decades < 0.9) {
    const even = scaleLinear().domain([low, high]).ticks(5);
    return { at: (value) => scale(Math.max(low, value)), ticks: even, domain: [low, high] };
  }
  const wanted = decades > 3 ? [1] : decades > 1.7 ? [1, 3] : [1, 2, 5];
  const kept = scale.ticks(10).filter((tick) => wanted.includes(leadingDigit(tick)));
  return {
    at: (value) => scale(Math.max(low, value)),
    ticks: kept,
    domain: [low, high],
  };
}

function leadingDigit(value: number): number {
  return Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
}

function endsOf(domain: readonly number[]): readonly [number, number] {
  return [domain[0] as number, domain.at(-1) as number];
}

// Not Math.max(...values): an argument list has a limit that data has not.
function largest(values: readonly number[]): number | null {
  return values.reduce<number | null>(
    (most, value) => (most === null || value > most ? value : most),
    null,
  );
}

function smallest(values: readonly number[]): number | null {
  return values.reduce<number | null>(
    (least, value) => (least === null || value < least ? value : least),
    null,
  );
}
