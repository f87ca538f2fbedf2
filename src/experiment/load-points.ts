/** A run spec's load → its points, in the order they run: ascending load. */
import type { LoadSpec, RunSpec } from '../config/index.ts';
import { assertNever, durationText } from '../base/index.ts';
import type { PointLoad } from '../summary/index.ts';
import type { ArrivalProcess, LoadShape, ThinkTime } from '../workload/index.ts';

/**
 * Requests a closed-loop point is planned for when the user sets none. The point says so if it is
 * reached before the duration ends.
 */
export const CLOSED_LOOP_REQUESTS_MAX = 20_000;

export interface LoadPoint {
  readonly index: number;
  readonly load: PointLoad;
  readonly shape: LoadShape;
}

export function loadPoints(spec: RunSpec): LoadPoint[] {
  return levelsOf(spec.load)
    .toSorted((a, b) => a - b)
    .map((level, index) => ({ index, load: pointLoad(spec, level), shape: shapeOf(spec, level) }));
}

/** More than one point is a sweep: it explores, so it exits 0 whatever it finds. */
export function isSweep(spec: RunSpec): boolean {
  return levelsOf(spec.load).length > 1;
}

function levelsOf(load: LoadSpec): readonly number[] {
  switch (load.kind) {
    case 'rate':
      return load.ratesRps;
    case 'concurrency':
    case 'users':
      return load.levels;
    case 'sessions':
      return load.sessionsPerSecond;
    case 'trace':
      return load.timeScales;
    default:
      return assertNever(load);
  }
}

function shapeOf(spec: RunSpec, level: number): LoadShape {
  const { load, durationNs, requests } = spec;
  const maxRequests = requests ?? CLOSED_LOOP_REQUESTS_MAX;
  switch (load.kind) {
    case 'rate':
      return {
        kind: 'rate',
        rateRps: level,
        arrivals: load.arrivals,
        durationNs,
        maxRequests: requests,
      };
    case 'concurrency':
      return { kind: 'concurrency', streams: level, durationNs, maxRequests };
    case 'users':
      return { kind: 'users', users: level, think: load.think, durationNs, maxRequests };
    case 'sessions':
      return {
        kind: 'sessions',
        sessionsPerSecond: level,
        arrivals: load.arrivals,
        think: load.think,
        durationNs,
        maxRequests: requests,
      };
    case 'trace':
      return {
        kind: 'trace',
        timeScale: level,
        fromNs: load.fromNs,
        durationNs,
        maxRequests: requests,
      };
    default:
      return assertNever(load);
  }
}

function pointLoad(spec: RunSpec, level: number): PointLoad {
  const { load } = spec;
  switch (load.kind) {
    case 'rate':
      return {
        kind: 'rate',
        level,
        label: `open loop, ${arrivalsText(load.arrivals)} ${level}/s`,
        closedLoop: false,
      };
    case 'concurrency':
      return {
        kind: 'concurrency',
        level,
        label: `closed loop, ${level} in flight`,
        closedLoop: true,
      };
    case 'users':
      return {
        kind: 'users',
        level,
        label: `closed loop, ${level} users thinking ${durationText(load.think.meanNs)}`,
        closedLoop: true,
      };
    case 'sessions':
      return {
        kind: 'sessions',
        level,
        label: `sessions, ${arrivalsText(load.arrivals)} ${level}/s${thinkingText(load.think)}`,
        closedLoop: false,
      };
    case 'trace':
      return { kind: 'trace', level, label: `open loop, trace at ${level}×`, closedLoop: false };
    default:
      return assertNever(load);
  }
}

function thinkingText({ meanNs }: ThinkTime): string {
  return meanNs === 0 ? '' : `, thinking ${durationText(meanNs)}`;
}

function arrivalsText(arrivals: ArrivalProcess): string {
  switch (arrivals.kind) {
    case 'constant':
      return 'constant';
    case 'poisson':
      return 'Poisson';
    case 'gamma':
      return `gamma (CV ${arrivals.cv})`;
    default:
      return assertNever(arrivals);
  }
}
