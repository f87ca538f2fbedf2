/** The axes that charts of a report share. */
import type { Axis } from '../../charts/index.ts';
import type { PointLoad } from '../../summary/index.ts';

/** A time in ms: `500 ms`, `2 s`, `50 µs`. */
export function msTick(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 0.9995) return `${short(ms * 1_000)} µs`;
  return ms < 999.5 ? `${short(ms)} ms` : `${short(ms / 1_000)} s`;
}

export function countTick(value: number): string {
  if (Math.abs(value) >= 1e6) return `${short(value / 1e6)}M`;
  return Math.abs(value) >= 10_000 ? `${short(value / 1e3)}k` : short(value);
}

export function percentTick(share: number): string {
  return `${short(100 * share)} %`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export const SHARE_AXIS: Pick<Axis, 'kind' | 'format' | 'domain' | 'tickCount'> = {
  kind: 'linear',
  format: percentTick,
  domain: [0, 1],
  tickCount: 5,
};

/** A latency; logarithmic, because tails matter and differ by orders. */
export function latencyAxis(name: string): Axis {
  return { name, kind: 'log', format: msTick };
}

export function secondsAxis(name: string): Axis {
  return { name, kind: 'linear', format: (value) => `${countTick(value)} s`, tickCount: 7 };
}

/** What was asked of the points of a sweep. */
export function loadAxis(kind: PointLoad['kind']): Axis {
  const names: Readonly<Record<PointLoad['kind'], string>> = {
    rate: 'offered load, requests/s',
    concurrency: 'requests in flight, closed loop',
    users: 'users, closed loop',
    sessions: 'sessions/s',
    trace: 'trace time scale',
  };
  return { name: names[kind], kind: 'linear', format: countTick };
}
