import { describe, expect, it } from 'vitest';
import { terminalReport, type TerminalOptions } from '../../src/report/index.ts';
import type { Summary } from '../../src/summary/index.ts';
import { expectGolden } from '../support/golden.ts';
import { failedEnd, recordOf } from '../support/record-builder.ts';
import { objectiveOf, pointOf, summaryOf } from '../support/summary-builder.ts';
import { toyPoint, toyRecords, type ToyLoad } from '../support/toy-service.ts';

const CHAT = objectiveOf('ttft<=500ms, tpot<=28ms, attainment>=80%');
const PLAIN: TerminalOptions = {
  width: 100,
  color: false,
  explain: false,
  files: ['goodput-runs/demo/summary.json', 'goodput-runs/demo/records-0.ndjson'],
};

function toySummary(loads: readonly ToyLoad[]): Summary {
  return summaryOf(loads.flatMap(toyRecords), {
    points: loads.map((load) => toyPoint(load)),
    objective: CHAT,
  });
}

const SINGLE = toySummary([{ pointIndex: 0, rateRps: 5, seconds: 60, seed: 1, failEvery: 50 }]);
const SWEEP = toySummary(
  [2, 5, 8, 10, 12].map((rateRps, pointIndex) => ({ pointIndex, rateRps, seconds: 60, seed: 1 })),
);
const ALL_FAILED = summaryOf(
  Array.from({ length: 60 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: index * 1e8,
      arrivalsNs: [],
      usage: null,
      httpStatus: null,
      end: failedEnd('connect'),
      timeline: { doneNs: null, bodyEndNs: null, terminalNs: null, reused: null },
    }),
  ),
  { objective: CHAT },
);
const LATE = summaryOf(
  Array.from({ length: 80 }, (_, index) =>
    recordOf({ scheduleIndex: index, plannedNs: index * 1e8, dispatchedNs: index * 1e8 + 4.5e8 }),
  ),
  { objective: CHAT },
);

describe('the terminal report', () => {
  it.each([
    ['single', SINGLE, PLAIN],
    ['single-explained', SINGLE, { ...PLAIN, explain: true }],
    ['single-narrow', SINGLE, { ...PLAIN, width: 80 }],
    ['sweep', SWEEP, PLAIN],
    ['sweep-explained', SWEEP, { ...PLAIN, explain: true }],
    ['all-failed', ALL_FAILED, PLAIN],
    ['late-client', LATE, PLAIN],
    ['no-objective', { ...SINGLE, ...summaryOf([recordOf()]) }, PLAIN],
    ['empty', summaryOf([], { objective: CHAT }), PLAIN],
    ['no-points', summaryOf([], { points: [] }), PLAIN],
  ])('%s is as stored', (name, summary, options) => {
    expectGolden(`terminal/${name}.txt`, terminalReport(summary, options));
  });

  it.each([
    ['single', SINGLE],
    ['sweep', SWEEP],
    ['all failed', ALL_FAILED],
    ['late client', LATE],
  ])('of a %s run has at most 20 lines of at most 100 columns', (_, summary) => {
    const lines = terminalReport(summary, PLAIN).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  it('keeps to 100 columns when it explains, however wide the terminal', () => {
    for (const summary of [SINGLE, SWEEP]) {
      const text = terminalReport(summary, { ...PLAIN, explain: true, width: 300 });
      for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    }
  });

  it('says in colour what it says in plain text', () => {
    for (const summary of [SINGLE, SWEEP, ALL_FAILED, LATE]) {
      const colored = terminalReport(summary, { ...PLAIN, color: true });
      expect(colored).toContain('\u001b[');
      // eslint-disable-next-line no-control-regex -- colour codes are the point
      expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(terminalReport(summary, PLAIN));
    }
  });

  it('lets no label drive the terminal', () => {
    const evil = summaryOf([recordOf()], {
      points: [pointOf({ label: 'x\u001b[2J\r\u202e' })],
      prefixCache: '\u0007unique',
    });
    const text = terminalReport(evil, { ...PLAIN, files: ['\u001b]0;t\u0007.json'] });
    // eslint-disable-next-line no-control-regex -- control characters are the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
