/** How far two equal sides are found apart: an A/A comparison, kept for the A/B ones after it. */
import type { JsonValue } from '../base/index.ts';
import type { MetricComparison } from './comparison.ts';
import { isShown } from './change-verdict.ts';

export const NOISE_FLOOR_SCHEMA_VERSION = 1;

/** What an A/A comparison left of one metric. */
export interface MetricFloor {
  /** Ends of the interval for the change between two equal sides. */
  readonly low: number;
  readonly high: number;
  /** Deviation of one pair's difference, on the metric's own scale. */
  readonly deviation: number;
  /** The equal sides differed by more than chance: the method itself favours one. */
  readonly biased: boolean;
}

export interface NoiseFloor {
  readonly schemaVersion: typeof NOISE_FLOOR_SCHEMA_VERSION;
  /** Hash of the question that was asked; another question has another floor. */
  readonly questionHash: string;
  readonly pairs: number;
  readonly metrics: Readonly<Record<string, MetricFloor>>;
}

/** The floor that an A/A comparison shows. */
export function noiseFloorOf(
  questionHash: string,
  metrics: readonly MetricComparison[],
): NoiseFloor {
  const floors = metrics.flatMap((metric): [string, MetricFloor][] => {
    const { interval, deviation } = metric;
    if (interval === null || deviation === null) return [];
    const { low, high } = interval;
    return [[metric.metric, { low, high, deviation, biased: isShown(metric) }]];
  });
  const pairs = metrics.reduce((most, metric) => Math.max(most, metric.pairs), 0);
  return {
    schemaVersion: NOISE_FLOOR_SCHEMA_VERSION,
    questionHash,
    pairs,
    metrics: Object.fromEntries(floors),
  };
}

/** The larger end: a change must exceed it. */
export function floorSize({ low, high }: MetricFloor): number {
  return Math.max(Math.abs(low), Math.abs(high));
}

/** A stored floor; `null` when the value is none of this version. */
export function parseNoiseFloor(value: JsonValue): NoiseFloor | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const floor = value as Partial<Record<keyof NoiseFloor, JsonValue>>;
  const { schemaVersion, questionHash, pairs, metrics } = floor;
  const isFloor =
    schemaVersion === NOISE_FLOOR_SCHEMA_VERSION &&
    typeof questionHash === 'string' &&
    typeof pairs === 'number' &&
    typeof metrics === 'object' &&
    metrics !== null &&
    Object.values(metrics).every(isMetricFloor);
  return isFloor ? (value as unknown as NoiseFloor) : null;
}

function isMetricFloor(value: unknown): boolean {
  const { low, high, deviation, biased } = (value ?? {}) as Record<string, unknown>;
  return [low, high, deviation].every(Number.isFinite) && typeof biased === 'boolean';
}
