import { describe, expect, it } from 'vitest';
import { lintRules } from './lint-rules.ts';

const rules = (expr: string): string =>
  `groups:\n  - name: g\n    rules:\n      - alert: Burn\n        expr: ${expr}\n        labels: { owner: a }\n        annotations: { runbook: b, rollback: c }\n`;

const messages = (expr: string): string[] => {
  const result = lintRules(rules(expr), 'rules.yml');
  return 'findings' in result
    ? result.findings.map(({ weight, message }) => `${weight} ${message}`)
    : [];
};

describe('existing rules', () => {
  it('are told when an alert can never fire', () => {
    expect(messages('slo:error:ratio1h > (14.4 * (1 - 0.9)) and slo:error:ratio5m > 1.44')[0]).toBe(
      'error can never fire: a share is never above 14.4 * (1 - 0.9) = 1.44',
    );
  });

  it('are told of a mean of ratios, one window and no guard', () => {
    expect(messages('1 - avg_over_time(slo:error:ratio5m[30d]) > 0.1').join('\n')).toMatch(
      /mean of ratios[\s\S]*no guard[\s\S]*one window/,
    );
  });

  it('may be sound, and a > in a label is no comparison', () => {
    expect(messages(`'e:ratio1h{x="a > 2"} > 0.1 and e:ratio5m > 0.1 and e:bad1h > 4.5'`)).toEqual(
      [],
    );
  });
});
