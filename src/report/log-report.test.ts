import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SliceCounts, windowTable, type WindowSpec } from '../logs/index.ts';
import { plainObjective } from '../slo/index.ts';
import { csvLogReport } from './log-csv.ts';
import { type LogJudgement, terminalLogReport } from './log-report.ts';
import { windowLines } from './log-window-lines.ts';

const HOUR_US = 3_600_000_000;
const BY: WindowSpec = { windowUs: HOUR_US, keys: ['bucket', 'tenant'] };
const OBJECTIVE = plainObjective();

/** Both panels of each hour are green, and the joint share misses. */
function sliceOf(hour: number, bucket: string, tenant: string): SliceCounts {
  return {
    fromUs: hour * HOUR_US,
    values: [bucket, tenant],
    good: 9_000,
    bad: 990,
    unjudged: 10,
    excluded: 0,
    dropped: 0,
    failed: 7,
    incorrect: 3,
    missed: { ttft: 495, tpot: 495 },
    ttft: { observed: 10_000, within: 9_505 },
    tpot: { observed: 10_000, within: 9_505 },
    succeeded: 9_000,
    quantiles: [],
  };
}

function tableOf(tenants: readonly string[]) {
  const slices = tenants.flatMap((tenant, hour) => [
    sliceOf(hour, '0-1k', tenant),
    sliceOf(hour, '4k-16k', tenant),
  ]);
  const bins = slices.flatMap(({ fromUs, values }) =>
    (['ttft', 'tpot'] as const).map((measure) => ({ fromUs, values, measure, bin: 900, count: 1 })),
  );
  return windowTable({ slices, bins }, OBJECTIVE, BY);
}

function judgementOf(requests: LogJudgement['requests']): LogJudgement {
  const table = tableOf(['a']);
  const file = {
    file: 'a-rather-long-folder-name/with-a-log.ndjson',
    format: 'otlp',
    title: 'OTLP traces',
    requests: 20_000,
    rejected: 1,
    samples: [
      { line: 4, reason: 'its end is before its start, or it has no duration at all'.repeat(2) },
    ],
    fields: [
      { field: 'ttftNs', how: 'measured', present: 1, from: 'gen_ai.first_token, '.repeat(8) },
    ],
    findings: [],
  } as const;
  return { objective: OBJECTIVE, table, targets: [], imports: [file], requests, whatIfs: [] };
}

describe('windows on a terminal', () => {
  it('fit the page, whatever the labels', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 80, max: 200 }),
        (tenants, width) => {
          const table = tableOf(tenants);
          for (const line of windowLines(table.windows, table, width)) {
            expect(line.length).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });

  it('leave out the unjudged first, then words, intervals and counts; never the share or a p95', () => {
    const table = tableOf(['a']);
    const at = (width: number): string[] => windowLines(table.windows, table, width);
    const seen = (width: number) => {
      const [head = '', first = '', ...rest] = at(width);
      const columns = ['attained', 'interval', 'good/offered', 'unjudged', 'TTFT p95', 'TPOT p95'];
      return [
        ...columns.filter((name) => head.includes(name)),
        first.endsWith('PANELS GREEN, MISSED') ? 'words' : first.endsWith(' !') ? 'mark' : '',
        rest.at(-1) === '! PANELS GREEN, MISSED' ? 'legend' : '',
      ].join();
    };
    const widths = Array.from({ length: 90 }, (_, left) => 150 - left);
    expect([...new Set(widths.map(seen))]).toEqual([
      'attained,interval,good/offered,unjudged,TTFT p95,TPOT p95,words,',
      'attained,interval,good/offered,TTFT p95,TPOT p95,words,',
      'attained,interval,good/offered,TTFT p95,TPOT p95,mark,legend',
      'attained,good/offered,TTFT p95,TPOT p95,mark,legend',
      'attained,TTFT p95,TPOT p95,mark,legend',
    ]);
  });

  it('stand in a page of which no line is wider', () => {
    const lines = terminalLogReport(judgementOf(null), 80).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeGreaterThan(15);
  });
});

describe('windows for a spreadsheet', () => {
  const lines = (requests: LogJudgement['requests']) =>
    csvLogReport(judgementOf(requests)).trimEnd().split('\n');

  it('name the view of every line, and have as many cells as the head', () => {
    const joined = { requests: 3, tries: 5, retried: 2, cutOff: 0, table: tableOf(['a', 'b']) };
    const [head = '', ...rows] = lines(joined);
    expect(head).toMatch(/^view,from,to,bucket,tenant,offered,good,bad,failed,incorrect,unjudged,/);
    expect(rows.map((row) => row.split(',').slice(0, 5).join())).toEqual([
      'try,1970-01-01T00:00:00Z,1970-01-01T01:00:00Z,0-1k,a',
      'try,1970-01-01T00:00:00Z,1970-01-01T01:00:00Z,4k-16k,a',
      'request,1970-01-01T00:00:00Z,1970-01-01T01:00:00Z,0-1k,a',
      'request,1970-01-01T00:00:00Z,1970-01-01T01:00:00Z,4k-16k,a',
      'request,1970-01-01T01:00:00Z,1970-01-01T02:00:00Z,0-1k,b',
      'request,1970-01-01T01:00:00Z,1970-01-01T02:00:00Z,4k-16k,b',
    ]);
    for (const row of rows) expect(row.split(',')).toHaveLength(head.split(',').length);
    expect(rows[0]).toContain(',10000,9000,990,7,3,10,');
  });

  it('have the one view where no tries were joined', () => {
    expect(lines(null).filter((line) => line.startsWith('request'))).toEqual([]);
  });
});
