/** Whether the trace keeps the rules of the Trace Event Format, as Perfetto reads it. */
import { expect, test } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { ROOMY_SERVICE, simulatePoint } from '../../test/support/simulated-point.ts';
import { atSeconds, scheduleOf } from '../../test/support/point-run.ts';
import { StepTimeline } from '../simulator/index.ts';
import { chromeTrace, type TraceEvent, traceEvery } from './chrome-trace.ts';

const EVERY_FIELD = ['args', 'cat', 'dur', 'id', 'name', 'ph', 'pid', 'tid', 'ts'];

async function traced(replicas: number) {
  const steps = new StepTimeline();
  const schedule = scheduleOf(atSeconds(0, 0.01, 0.02, 0.5, 0.5), { outputTokensMax: 20 });
  const { records } = await simulatePoint(schedule, { ...ROOMY_SERVICE, replicas }, { steps });
  const point = { label: 'a "load"', steps: steps.log(), records, requestEvery: 1 };
  const text = [...chromeTrace([point, { ...point, label: 'b' }])].join('');
  const trace = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] };
  return { events: trace.traceEvents, rows: point.steps.rows };
}

function tracksOf(events: readonly TraceEvent[], ph: string): readonly TraceEvent[][] {
  const tracks = new Map<string, TraceEvent[]>();
  for (const event of events.filter((each) => each.ph === ph)) {
    const key = `${event.pid}/${event.tid}`;
    tracks.set(key, [...(tracks.get(key) ?? []), event]);
  }
  return [...tracks.values()];
}

test('every event has a phase, a process, a thread and an instant in microseconds', async () => {
  const { events, rows } = await traced(2);
  for (const event of events) {
    expect(EVERY_FIELD).toEqual(expect.arrayContaining(Object.keys(event)));
    expect(['X', 'C', 'b', 'e', 'M']).toContain(event.ph);
    expect([event.pid, event.tid].every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true);
    expect(event.ts).toBeGreaterThanOrEqual(0);
    expect(event.dur !== undefined).toBe(event.ph === 'X');
  }
  const slices = events.filter(({ ph }) => ph === 'X').slice(0, rows.length);
  expect(slices.map(({ ts, dur }) => [Math.round(ts * 1e3), Math.round((dur ?? 0) * 1e3)])).toEqual(
    rows.map(({ startNs, durationNs }) => [startNs, durationNs]),
  );
});

test('slices of one replica follow one another, counters too', async () => {
  const { events } = await traced(2);
  const slices = tracksOf(events, 'X');
  // Two replicas in each of two points.
  expect(slices).toHaveLength(4);
  for (const track of slices) {
    for (const [at, { ts, dur }] of track.entries()) {
      const next = track[at + 1]?.ts ?? Infinity;
      // A thousandth of the smallest unit of the format: what adding two instants may round.
      expect(ts + (dur ?? 0)).toBeLessThanOrEqual(next + 1e-6);
    }
  }
  for (const track of tracksOf(events, 'C')) {
    expect(track).toEqual(track.toSorted((a, b) => a.ts - b.ts));
    expect(track.at(-1)?.args).toEqual({ running: 0, waiting: 0 });
  }
});

test('spans of requests nest, end, and have ids of their own', async () => {
  const { events } = await traced(1);
  const open = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { ph, id = '', name, cat } of events.filter((each) => 'be'.includes(each.ph))) {
    expect([cat, id]).toEqual(['request', expect.stringMatching(/^0x[0-9a-f]+$/)]);
    const stack = open.get(id) ?? [];
    if (ph === 'b' && stack.length === 0) {
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }
    if (ph === 'b') open.set(id, [...stack, name]);
    else expect(stack.pop()).toBe(name);
  }
  expect([...open.values()].flat()).toEqual([]);
  // Five requests in each of two points.
  expect(seen.size).toBe(10);
});

test('every process has a name, and its sample and its cut are in it', () => {
  const steps = { rows: [], cutNs: null };
  const point = { label: 'load', steps, records: [recordOf()], requestEvery: traceEvery(4_001) };
  const text = [...chromeTrace([point])].join('');
  expect(text).toContain('load: requests (1 of 3)');
  expect([traceEvery(0), traceEvery(2_000), traceEvery(2_001)]).toEqual([1, 1, 2]);
});
