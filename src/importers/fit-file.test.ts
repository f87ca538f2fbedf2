import { expect, test } from 'vitest';
import { parseFitFile } from './fit-file.ts';

const FIT = {
  device: {
    name: 'card',
    memoryBytes: 96e9,
    memoryBytesPerSecond: 1.597e12,
    flopPerSecond: 504e12,
    linkBytesPerSecond: 64e9,
  },
  parallelism: { tensor: 2, expertRanks: 1 },
  factors: {
    bandwidthShare: 0.8,
    computeShare: 0.57,
    stepOverheadSeconds: 0.001,
    sequenceOverheadSeconds: 0,
    exchangeSeconds: 1e-5,
    linkShare: 0.7,
  },
  calibration: {
    provenance: 'fitted to a run',
    hull: { sequences: 128, decodeContextTokens: 1, prefillTokens: 2_048, attentionPairs: 9 },
    residuals: [{ measure: 'ttft', meanShare: -0.01, p99Share: 0.02 }],
  },
};

function problems(text: string): string[] {
  const result = parseFitFile(text, { file: 'fit.json' });
  if (result.kind !== 'problems') throw new Error('it was read');
  return result.problems.map(
    ({ code, place, message }) => `${code} ${place?.line}:${place?.column} ${message}`,
  );
}

test('what a fit printed is read back, its tables of runs left out', () => {
  const text = JSON.stringify({ ...FIT, fitted: ['bandwidthShare'], runs: [], holdouts: [] });
  expect(parseFitFile(text, { file: 'fit.json' })).toEqual({
    kind: 'imported',
    value: FIT,
    notes: [],
  });
});

test('a factor out of range is told at its place', () => {
  const wrong = { ...FIT, factors: { ...FIT.factors, bandwidthShare: 1.2 } };
  expect(problems(JSON.stringify(wrong, null, 1))).toEqual([
    expect.stringMatching(/^E_CONFIG_VALUE 14:21 factors\.bandwidthShare: /),
  ]);
  expect(problems('{}')[0]).toMatch(/^E_CONFIG_VALUE 1:1 device: /);
  expect(problems('factors')).toEqual(['E_CONFIG_SYNTAX 1:1 not valid JSON']);
});
