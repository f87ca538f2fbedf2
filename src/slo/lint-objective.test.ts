import { describe, expect, it } from 'vitest';
import { lintObjective, type PromptMix } from './lint-objective.ts';
import { plainObjective } from './objective-defaults.ts';
import { parseObjective } from './objective-expression.ts';
import { objectivePreset, PRESET_NAMES } from './objective-presets.ts';

function rulesOf(text: string, mix: PromptMix | null = null): string[] {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]!.message);
  return lintObjective(parsed.objective, mix).map((warning) => warning.rule);
}

describe('lint', () => {
  it.each([
    ['ttft<=1s, e2e<=30s', ['endToEndOnStream']],
    ['e2e<=30s', []],
    ['ttft<=1s, attainment>=100%', ['noMissAllowed']],
    ['ttft<=1s, success>=100%', ['noMissAllowed']],
    ['tpot<=40ms', ['stallsUnseen']],
    ['tpot<=40ms, gap<=1s', []],
    ['tpot<=40ms, gap[p99]<=1s', []],
    ['p95(ttft)<=1s, p95(tpot)<=40ms', ['marginalsOnly']],
    ['p95(ttft)<=1s, ttft<=1s, attainment>=95%', []],
    ['tpot<=40ms, gap<=40ms', ['limitNeverBinds']],
    ['ttft<=2s, e2e<=2s', ['endToEndOnStream', 'limitNeverBinds']],
    ['ttft<=2s, from=dispatch', ['latenessForgiven']],
  ])('of %s warns of %j', (text, rules) => {
    expect(rulesOf(text)).toEqual(rules);
  });

  it('asks for limits by length only where the prompts have a long tail', () => {
    expect(rulesOf('ttft<=1s', { medianTokens: 1_000, p99Tokens: 4_000 })).toEqual([
      'ttftForAllLengths',
    ]);
    expect(rulesOf('ttft<=1s', { medianTokens: 1_000, p99Tokens: 3_999 })).toEqual([]);
    expect(
      rulesOf('ttft[0-4k]<=1s, ttft[4k+]<=2s', { medianTokens: 1_000, p99Tokens: 9_000 }),
    ).toEqual([]);
  });

  it('names a refusal rule that can never match', () => {
    const refusals = [{ status: 429, body: null, code: null }];
    const [warning] = lintObjective({ ...plainObjective(), refusals });
    expect(warning?.rule).toBe('ruleWithoutEvidence');
    expect(warning?.message).toContain('429');
  });

  it.each(PRESET_NAMES)('finds nothing in the preset %s', (name) => {
    expect(lintObjective(objectivePreset(name))).toEqual([]);
  });
});
