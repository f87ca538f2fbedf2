import { describe, expect, it } from 'vitest';
import { terminalReport, type TerminalOptions } from '../../src/report/index.ts';
import { expectGolden } from '../support/golden.ts';
import { failedEnd, recordOf } from '../support/record-builder.ts';
import {
  ALL_FAILED,
  CHAT,
  LATE_CLIENT,
  NO_USAGE,
  SINGLE,
  STEADY,
  SWEEP,
} from '../support/sample-summaries.ts';
import { objectiveOf, pointOf, summaryOf } from '../support/summary-builder.ts';

const PLAIN: TerminalOptions = {
  width: 100,
  color: false,
  explain: false,
  files: ['goodput-runs/demo/summary.json', 'goodput-runs/demo/records-0.ndjson'],
};

/** Everything at once that a page may have to tell. */
const CROWDED = summaryOf(
  Array.from({ length: 100 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: index * 1e8,
      dispatchedNs: index * 1e8 + 4.5e8,
      ...(index % 10 === 0 && { usage: null }),
      ...(index % 10 === 1 && { dropped: 'ceiling' as const }),
      ...(index % 10 === 2 && { dropped: 'late' as const }),
      ...(index % 10 === 3 && { end: failedEnd('httpStatus'), arrivalsNs: [] }),
      ...(index % 10 === 4 && { end: failedEnd('contentEncoding'), arrivalsNs: [] }),
      ...(index % 10 === 5 && { end: { kind: 'timedOut', deadlineNs: index * 1e8 + 6e8 } as const }),
      ...(index % 10 === 6 && { end: { kind: 'cancelled', atNs: index * 1e8 + 6e8 } as const }),
      ...(index % 10 === 7 && { arrivalsNs: [index * 1e8 + 6e8] }),
    }),
  ),
  {
    objective: objectiveOf(
      'ttft<=700ms, tpot<=28ms, gap<=1s, attainment>=80%, success>=99%, p95(ttft)<=1s, p99(gap)<=1s',
    ),
    prefixCache: 'shared: 512 tokens, 12 groups',
    points: [pointOf({ steadyFromNs: 2e9, partial: true, stopReason: 'interrupted' })],
  },
);

describe('the terminal report', () => {
  it.each([
    ['single', SINGLE, PLAIN],
    ['single-explained', SINGLE, { ...PLAIN, explain: true }],
    ['single-narrow', SINGLE, { ...PLAIN, width: 80 }],
    ['steady', STEADY, PLAIN],
    ['sweep', SWEEP, PLAIN],
    ['sweep-explained', SWEEP, { ...PLAIN, explain: true }],
    ['all-failed', ALL_FAILED, PLAIN],
    ['late-client', LATE_CLIENT, PLAIN],
    ['no-usage', NO_USAGE, PLAIN],
    ['no-objective', summaryOf([recordOf()]), PLAIN],
    ['empty', summaryOf([], { objective: CHAT }), PLAIN],
    ['no-points', summaryOf([], { points: [] }), PLAIN],
  ])('%s is as stored', (name, summary, options) => {
    expectGolden(`terminal/${name}.txt`, terminalReport(summary, options));
  });

  it('begins with the target that decides the verdict, for the line may be cut', () => {
    const records = Array.from({ length: 40 }, (_, index) =>
      recordOf({ scheduleIndex: index, plannedNs: index * 1e8, dispatchedNs: index * 1e8 }),
    );
    const objective = objectiveOf('attainment>=50%, success>=50%, p50(ttft)<=9s, p50(e2e)<=1ns');
    const page = terminalReport(summaryOf(records, { objective }), PLAIN);
    expect(page).toMatch(/^MISSED +median\(e2e\)/);
  });

  it.each([
    ['single', SINGLE],
    ['sweep', SWEEP],
    ['all failed', ALL_FAILED],
    ['late client', LATE_CLIENT],
    ['steady', STEADY],
    ['silent server’s', NO_USAGE],
    ['crowded', CROWDED],
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
    for (const summary of [SINGLE, SWEEP, ALL_FAILED, LATE_CLIENT]) {
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
