import { describe, expect, it } from 'vitest';
import { allowingFinish, plainObjective } from './objective-defaults.ts';
import { objectiveText, parseObjective } from './objective-expression.ts';
import { objectivePreset, PRESET_NAMES } from './objective-presets.ts';

describe('presets', () => {
  it.each([
    [
      'chat',
      'ttft[0-1k]<=500ms, ttft[1k-4k]<=1s, ttft[4k-16k]<=2500ms, ttft[16k-64k]<=8s, ' +
        'ttft[64k+]<=8s, tpot<=40ms, gap<=1s, attainment>=97%, success>=99.5%, ' +
        'counts=answer|reasoning, period=30d',
    ],
    [
      'reasoning',
      'ttft[0-16k]<=10s, ttft[16k+]<=20s, tpot<=40ms, gap<=1s, attainment>=95%, ' +
        'success>=99.5%, counts=answer|refusal, period=30d',
    ],
    [
      'agent',
      'ttft[0-16k]<=2s, ttft[16k+]<=8s, tpot<=20ms, gap<=2s, attainment>=95%, success>=99.5%, ' +
        'counts=answer|reasoning|refusal|toolCall, period=30d',
    ],
    [
      'voice',
      'ttft<=400ms, tpot<=30ms, gap<=300ms, attainment>=97%, success>=99.5%, ' +
        'counts=answer|refusal, period=30d',
    ],
    ['batch', 'e2e<=10m, attainment>=99%, success>=99.5%, worst(tenant)>=95%, period=30d'],
  ] as const)('%s says what it says', (name, text) => {
    expect(objectiveText(objectivePreset(name))).toBe(text);
    expect(parseObjective(text, { name })).toEqual({ objective: objectivePreset(name) });
  });

  it('are named in a list', () => {
    expect(PRESET_NAMES.map((name) => objectivePreset(name).name)).toEqual(PRESET_NAMES);
  });
});

it('a workload that fixes lengths allows the length finish, once', () => {
  const allowed = allowingFinish(plainObjective(), 'length');
  expect(allowed.request.correctness.finish).toEqual(['stop', 'length']);
  expect(allowingFinish(allowed, 'length')).toBe(allowed);
});
