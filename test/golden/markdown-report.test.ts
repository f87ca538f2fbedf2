import { describe, expect, it } from 'vitest';
import { markdownReport } from '../../src/report/index.ts';
import { expectGolden } from '../support/golden.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { recordOf } from '../support/record-builder.ts';
import { ALL_FAILED, LATE_CLIENT, SINGLE, STEADY, SWEEP } from '../support/sample-summaries.ts';
import { objectiveOf, pointOf, summaryOf } from '../support/summary-builder.ts';

const MANIFEST = manifestOf({
  facts: {
    ...manifestOf().facts,
    gpu: { from: 'declared', value: '8xH100' },
    serverVersion: { from: 'measured', value: '0.9.1' },
  },
  seeds: { arrivals: 1, lengths: 2, prompts: 3 },
});

describe('the Markdown report', () => {
  it.each([
    ['single', SINGLE],
    ['steady', STEADY],
    ['sweep', SWEEP],
    ['all-failed', ALL_FAILED],
    ['late-client', LATE_CLIENT],
    ['empty', summaryOf([])],
    ['no-points', summaryOf([], { points: [] })],
  ])('%s is as stored', (name, summary) => {
    expectGolden(`markdown/${name}.md`, markdownReport(summary, MANIFEST));
  });

  it('says aloud what is not known', () => {
    expect(markdownReport(SINGLE, MANIFEST)).toMatch(/\| gpu \| 8xH100 \| declared \|/);
    expect(markdownReport(SINGLE, MANIFEST)).toMatch(/\| driver \| \*\*unknown\*\*/);
  });

  it('lets foreign text be neither markup, nor link, nor HTML, nor the end of a fence', () => {
    const evil = '<img src=x onerror=alert(1)> [a](http://evil.example) | `x` **b** \u001b[2J';
    const summary = summaryOf([recordOf({ labels: { tenant: evil } })], {
      points: [pointOf({ label: evil, stopReason: evil })],
      objective: objectiveOf('worst(tenant)>=90%'),
      prefixCache: evil,
    });
    const manifest = manifestOf({
      target: { url: evil, api: 'chat', stream: true },
      facts: { ...manifestOf().facts, gpu: { from: 'declared', value: evil } },
      spec: { text: '\n```\n# not a title\n````' },
    });
    const text = markdownReport(summary, manifest);
    const outsideFence = text.slice(0, text.indexOf('`````'));
    expect(outsideFence).not.toContain('\u001b');
    expect(outsideFence).not.toMatch(/<img|[^\\]\]\(|[^\\]\*\*b/);
    expect(text).toMatch(/^`{5}yaml$/m);
    const cells = (line: string) => line.replaceAll('\\|', '').split('|').length;
    for (const block of outsideFence.split('\n\n')) {
      const rows = block.split('\n').filter((line) => line.startsWith('|'));
      expect(new Set(rows.map(cells)).size, block).toBeLessThanOrEqual(1);
    }
  });
});
