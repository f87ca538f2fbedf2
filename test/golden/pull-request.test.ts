import { describe, expect, it } from 'vitest';
import { pullRequestSummary } from '../../src/report/index.ts';
import { expectGolden } from '../support/golden.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { recordOf } from '../support/record-builder.ts';
import { ALL_FAILED, LATE_CLIENT, SINGLE, SWEEP } from '../support/sample-summaries.ts';
import { pointOf, summaryOf } from '../support/summary-builder.ts';

describe('the summary for a pull request', () => {
  it.each([
    ['single', SINGLE],
    ['sweep', SWEEP],
    ['all-failed', ALL_FAILED],
    ['late-client', LATE_CLIENT],
  ])('%s is as stored, in ten lines at most', (name, summary) => {
    const text = pullRequestSummary(summary, manifestOf());
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expectGolden(`pull-request/${name}.md`, text);
  });

  it('lets foreign text be no markup', () => {
    const evil = '<img src=x> [a](http://evil.example) `x`';
    const summary = summaryOf([recordOf()], { points: [pointOf({ label: evil })], prefixCache: evil });
    const text = pullRequestSummary(summary, manifestOf({ runId: evil }));
    expect(text).not.toMatch(/<img|[^\\]\]\(http/);
  });
});
