import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { affineCostModel, tableCostModel, type StepLoad } from '../engine/index.ts';
import { parseAffineCost, parseTableCost } from './step-cost-file.ts';

const example = (name: string) =>
  readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');

function loadOf(load: Partial<StepLoad>): StepLoad {
  return {
    computedTokens: 0,
    contextTokens: 0,
    decodeSequences: 0,
    decodeContextTokens: 0,
    prefillSequences: 0,
    prefillTokens: 0,
    completedPrompts: 0,
    attentionPairs: 0,
    ...load,
  };
}

/** `line:column: message` of each problem. */
function problemsOf(read: ReturnType<typeof parseAffineCost> | ReturnType<typeof parseTableCost>) {
  return read.kind === 'problems'
    ? read.problems.map(({ place, message }) => `${place?.line}:${place?.column}: ${message}`)
    : [];
}

describe('lines in YAML', () => {
  const text = example('step-costs/affine.yaml');
  const read = (changed: string) => parseAffineCost(changed, { file: 'a.yaml' });

  it('cost what the sums of the lines say', () => {
    const imported = read(text);
    if (imported.kind !== 'imported') throw new Error(problemsOf(imported).join('\n'));
    const model = affineCostModel(imported.value);
    const decodes = loadOf({ decodeSequences: 10, decodeContextTokens: 5_000 });
    expect(model.stepSeconds(decodes)).toBeCloseTo(0.018 + 5_000 * 4e-7 + 10 * 3e-5, 12);
    const prompt = loadOf({ prefillTokens: 1_000, attentionPairs: (1_000 * 1_001) / 2 });
    expect(model.stepSeconds(prompt)).toBeCloseTo(0.012 + 1_000 * 9e-5 + 1e6 * 2e-9, 12);
    expect(model.calibration.hull?.sequences).toBe(256);
  });

  it.each([
    ['largeFrom: 95', 'largeFrom: 0', /^9:14: decode\.largeFrom: Too small/],
    ['secondsPerSquare', 'secondsPerSqare', /: prefill\.secondsPerSquare is missing$/],
    ['secondsPerSquare', 'secondsPerSqare', /: there is no key prefill\.secondsPerSqare$/],
    ['provenance: ', 'provenance: [', /^\d+:\d+: Flow sequence/],
  ])('points at %s written as %s', (from, to, problem) => {
    expect(text).toContain(from);
    expect(problemsOf(read(text.replace(from, to)))).toContainEqual(expect.stringMatching(problem));
  });
});

describe('a grid in CSV', () => {
  const text = example('step-costs/table.csv');
  const read = (changed: string) => parseTableCost(changed, { file: 't.csv' });

  it('costs what was measured at its points and lies between them elsewhere', () => {
    const imported = read(text);
    if (imported.kind !== 'imported') throw new Error(problemsOf(imported).join('\n'));
    const model = tableCostModel(imported.value);
    expect(model.stepSeconds(loadOf({ prefillTokens: 512 }))).toBeCloseTo(0.019, 12);
    const decode = (n: number, mean: number) =>
      model.stepSeconds(loadOf({ decodeSequences: n, decodeContextTokens: n * mean }));
    expect(decode(32, 4_096)).toBeCloseTo(0.019, 12);
    expect(decode(80, 512)).toBeCloseTo((0.0128 + 0.0165) / 2, 12);
    expect(model.calibration.hull).toEqual({
      sequences: 128,
      decodeContextTokens: 128 * 4_096,
      prefillTokens: 8_192,
      attentionPairs: (8_192 * 8_193) / 2,
    });
  });

  it.each([
    ['decode,32,512,0.0128', 'decode,32,512,zero', '8:15: seconds is not a number above 0'],
    ['decode,32,512,0.0128', 'decode,1,512,0.0128', '8:8: a decode of 1 × 512 is there twice'],
    [
      'decode,32,512,0.0128\n',
      '',
      '1:1: the grid has a hole: no decode of 32 sequences of 512 tokens',
    ],
    ['prefill,1,512', 'prefill,1,128', '3:11: a prefill of 128 tokens is there twice'],
    ['prefill,1,128', 'both,0,0', '2:1: phase is neither prefill nor decode'],
    ['phase,', 'stage,', '1:1: the header has no column phase'],
  ])('points at %s written as %s', (from, to, problem) => {
    expect(text).toContain(from);
    expect(problemsOf(read(text.replace(from, to)))).toContain(problem);
  });
});
