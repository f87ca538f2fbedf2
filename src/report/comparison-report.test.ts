import { describe, expect, test } from 'vitest';
import { comparisonOf, metricComparison } from '../../test/support/comparison-builder.ts';
import type { Comparison } from '../comparison/index.ts';
import { signedFigure } from './figures.ts';
import { junitComparison } from './junit-comparison.ts';
import { markdownComparison } from './markdown-comparison.ts';
import { terminalComparison } from './terminal-comparison.ts';

const OPTIONS = { width: 100, color: false, explain: false, files: [] };
const HOSTILE = '<b>&"\'\u001b[2J]]>\u0000';

function terminal(options: Partial<Comparison> = {}, explain = false): string {
  return terminalComparison(comparisonOf(options), { ...OPTIONS, explain });
}

describe('terminalComparison', () => {
  test('says first what it comes to, then the row that says so', () => {
    const [first = '', , , , , , row = ''] = terminal().split('\n');
    expect(first).toBe('WORSE    B is worse than A: p50(tpot) +3.1 %');
    expect(row).toMatch(/^p50\(tpot\) +6\.50 ms +6\.70 ms +\+3\.1 % +\+2\.4 … \+3\.8 % .*worse$/);
  });

  test('refuses to blame the service when the sides were asked differently', () => {
    const differing = [{ fact: 'load.rate', a: 4, b: 5 }];
    const attribution = { allowed: false, differing, systemChanges: [], caveats: [] };
    const text = terminal({ attribution, verdict: 'notComparable' });
    expect(text).toContain('NOT COMPARABLE: the sides were not asked the same');
    expect(text).toContain('Differs  load.rate: 4 and 5');
  });

  test('answers the hypothesis, names noise, caveats and what was left out', () => {
    const expected = [{ metric: 'p50(tpot)', relation: 'atMost', change: -0.05 }] as const;
    const answers = ['notConfirmed'] as const;
    const hypothesis = { change: 'graphs', bottleneck: 'launches', expected, answers };
    const text = terminal({
      hypothesis: { ...hypothesis, answer: 'notConfirmed' },
      floorFrom: 'cached',
      biasedMetrics: ['goodput'],
      excluded: [{ unit: 3, reason: 'A: the generator stalled' }],
    });
    expect(text).toContain(
      'Expected not confirmed: graphs, against launches; p50(tpot) <= -5% not confirmed',
    );
    expect(text).toContain('equal sides differed in goodput');
    expect(text).toContain('Left out pair 4, A: the generator stalled');
  });

  test('fits the page, and drives no terminal', () => {
    const text = terminal({ a: { label: HOSTILE.repeat(30), runIds: [] } }, true);
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    // eslint-disable-next-line no-control-regex -- control characters are the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('markdownComparison', () => {
  test('has a row a metric and shows foreign text literally', () => {
    const text = markdownComparison(comparisonOf({ b: { label: HOSTILE, runIds: [] } }));
    expect(text).toContain('## WORSE: B is worse than A: p50(tpot) +3.1 %');
    expect(text).toContain('| `p50(tpot)` | 6.50 ms | 6.70 ms | +3.1 % | +2.4 … +3.8 % |');
    expect(text).not.toContain('<b>');
  });
});

describe('junitComparison', () => {
  const cases = (xml: string): string[] => [...xml.matchAll(/<testcase .*/g)].map(([line]) => line);

  test('fails what is worse, skips what has too little data, passes the rest', () => {
    const xml = junitComparison(
      comparisonOf({
        metrics: [
          metricComparison(),
          metricComparison({ metric: 'goodput', verdict: 'notEnoughData', interval: null }),
          metricComparison({ metric: 'attainment', verdict: 'equivalent' }),
        ],
      }),
    );
    expect(xml).toContain('<testsuites tests="4" failures="1" errors="0" skipped="1">');
    const [question, worse, skipped, passed] = cases(xml);
    expect(question).toContain('name="both sides were asked the same"');
    expect(worse).toContain('<failure message="worse: +3.1 % (+2.4 … +3.8 %)" type="service"/>');
    expect(skipped).toContain('<skipped message="not enough data');
    expect(passed).toMatch(/\/>$/);
  });

  test('sides asked differently are an error, whatever the metrics say', () => {
    const differing = [{ fact: 'model', a: HOSTILE, b: null }];
    const attribution = { allowed: false, differing, systemChanges: [], caveats: [] };
    const xml = junitComparison(comparisonOf({ attribution, verdict: 'notComparable' }));
    expect(xml).toContain('errors="1"');
    expect(cases(xml)[0]).toContain('<error message="model: &quot;&lt;b&gt;&amp;');
  });

  test('stays sound XML whatever the labels hold', () => {
    const xml = junitComparison(
      comparisonOf({ a: { label: `${HOSTILE}\uffff\ud800`, runIds: [] } }),
    );
    // eslint-disable-next-line no-control-regex -- control characters are the point
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800]/);
    const texts = xml.replace(/<\?xml[^>]*\?>|<\/?[a-z-]+(?: [a-z]+="[^"<>]*")*\/?>/g, '');
    expect(texts).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/);
  });
});

test('signed figures have a sign, save where nothing is left of them', () => {
  expect([3.14, -0.424, 0.001, -0.001, -12.34, 0.996].map(signedFigure)).toEqual([
    '+3.1',
    '−0.42',
    '0.00',
    '0.00',
    '−12.3',
    '+1.0',
  ]);
});
