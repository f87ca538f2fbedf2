import { describe, expect, it } from 'vitest';
import { type SliceCounts, windowTable, type WindowSpec } from '../../logs/index.ts';
import { parseObjective } from '../../slo/index.ts';
import type { LogJudgement } from '../log-report.ts';
import { budgetChart, burnChart, panelChart, windowAttainmentChart } from './log-charts.ts';
import { logPage } from './log-page.ts';

const HOUR_US = 3_600_000_000;
const HOSTILE = '</td><script>alert(1)</script>"\'&\u001b[31m';
const GREEN = { observed: 100, within: 95 };

function sliceOf(hour: number, good: number, bad: number, tenant: string): SliceCounts {
  return {
    fromUs: hour * HOUR_US,
    values: [tenant],
    good,
    bad,
    unjudged: 0,
    excluded: 0,
    dropped: 0,
    failed: 0,
    incorrect: 0,
    missed: { ttft: bad },
    ttft: GREEN,
    tpot: GREEN,
    succeeded: good,
    quantiles: [],
  };
}

/** Hours of 90 %, 100 % and 95 % of two tenants; the target is 95 %. */
function judgementOf(terms = 'ttft<=500ms, tpot<=40ms, attainment>=95%'): LogJudgement {
  const parsed = parseObjective(terms, { name: 'logs' });
  if ('problems' in parsed) throw new Error('unread');
  const { objective } = parsed;
  const by: WindowSpec = { windowUs: HOUR_US, keys: ['tenant'] };
  const slices = [
    sliceOf(0, 90, 10, HOSTILE),
    sliceOf(1, 100, 0, HOSTILE),
    sliceOf(1, 100, 0, 'b'),
    sliceOf(2, 95, 5, 'b'),
  ];
  const bins = slices.map(({ fromUs, values }) => {
    return { fromUs, values, measure: 'ttft' as const, bin: 900, count: 100 };
  });
  const table = windowTable({ slices, bins }, objective, by);
  return {
    objective,
    table,
    targets: [{ target: 'attainment>=95%', state: 'met', share: 0.9625, reason: null }],
    imports: [
      {
        file: `${HOSTILE}.ndjson`,
        format: 'made',
        title: 'made',
        requests: 400,
        rejected: 1,
        samples: [{ line: 7, reason: `unread: ${HOSTILE}` }],
        fields: [{ field: 'ttftNs', how: 'measured', from: HOSTILE, present: 300 }],
        findings: [],
      },
    ],
    requests: null,
    whatIfs: [{ text: HOSTILE, table }],
  };
}

const VOID = new Set(['meta', 'br', 'input', 'hr', 'link']);

/** Tags that are open at the end or closed out of turn. */
function unbalanced(html: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const bare = html.replace(/<(style|script)>.*?<\/\1>/gs, '');
  for (const [, close, name = '', self] of bare.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/gi)) {
    if (self === '/' || VOID.has(name)) continue;
    if (close !== '/') open.push(name);
    else if (open.pop() !== name) faults.push(name);
  }
  return [...faults, ...open];
}

describe('the page of judged logs', () => {
  it('has its sections, in order, and every tag closed', () => {
    const html = logPage(judgementOf(), '0.0.0-test');
    const ids = [...html.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['verdict', 'windows', 'panels', 'budget', 'what-if', 'read', 'settings']);
    expect(unbalanced(html)).toEqual([]);
    expect(html).toContain('385 of 400');
    expect(html).toContain('1 broken rows');
    expect(html).toContain('75.0 %');
  });

  it('keeps names from files, labels and terms as text', () => {
    const html = logPage(judgementOf(), '0.0.0-test');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('\u001b');
    // The page's own script, and no other.
    expect(html.split('<script').length - 1).toBe(1);
  });

  it('says so where there is no target, and draws no budget', () => {
    const judgement = { ...judgementOf('ttft<=500ms'), targets: [], whatIfs: [] };
    const html = logPage(judgement, '0.0.0-test');
    expect(html).toContain('Figures without a target');
    expect(html).toContain('there is no budget of misses');
    expect(html).not.toContain('id="log-burn"');
  });
});

describe('its charts', () => {
  const { table, objective } = judgementOf();

  it('divides misses of all tenants by what the target lets miss', () => {
    const rates = burnChart(table).table.rows.map((row) => row[2]);
    expect(rates).toEqual([10 / 100 / 0.05, 0, 5 / 100 / 0.05]);
  });

  it('adds the budget up to what the judgement says', () => {
    const { rows } = budgetChart(table).table;
    const ofSeries = (name: string) => rows.filter(([series]) => series === name);
    expect(ofSeries('missed so far').map(([, hour, y]) => [hour, y])).toEqual([
      [0, 0],
      [1, 10],
      [2, 10],
      [3, 15],
    ]);
    const allowed = ofSeries('allowed of those offered so far').at(-1)?.[2];
    expect(allowed).toBeCloseTo(table.budget?.allowedBad ?? Number.NaN, 9);
  });

  it('has a line for each tenant, and marks where green panels mislead', () => {
    const { rows } = windowAttainmentChart(table).table;
    expect(rows.map((row) => row[2])).toEqual([0.9, 1, 1, 0.95]);
    const ttft = panelChart('ttft', table, objective);
    const marked = ttft?.table.rows.filter(([series]) => series === 'panels green, missed');
    expect(marked?.map((row) => row[1])).toEqual([0]);
    expect(panelChart('tpot', table, objective)).toBeNull();
  });
});
