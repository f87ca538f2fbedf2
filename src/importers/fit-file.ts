/** What `goodput fit --format json` printed, read back as a step cost's ingredients. */
import { z } from 'zod';
import type { Calibration, DeviceSheet, Parallelism, RooflineFactors } from '../engine/index.ts';
import { DEVICE_SHEET } from './device-sheet.ts';
import type { Imported } from './import-result.ts';
import { parseJson, placeInJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';

export interface FittedCost {
  readonly device: DeviceSheet;
  readonly parallelism: Parallelism;
  readonly factors: RooflineFactors;
  readonly calibration: Calibration;
}

const share = z.number().gt(0).max(1);
const amount = z.number().min(0);
const error = z.number();

const FIT = z.looseObject({
  device: DEVICE_SHEET,
  parallelism: z.strictObject({ tensor: z.int().min(1), expertRanks: z.int().min(1) }),
  factors: z.strictObject({
    bandwidthShare: share,
    computeShare: share,
    stepOverheadSeconds: amount,
    sequenceOverheadSeconds: amount,
    exchangeSeconds: amount,
    linkShare: share,
  }),
  calibration: z.strictObject({
    provenance: z.string(),
    hull: z
      .strictObject({
        sequences: amount,
        decodeContextTokens: amount,
        prefillTokens: amount,
        attentionPairs: amount,
      })
      .nullable(),
    residuals: z.array(z.strictObject({ measure: z.string(), meanShare: error, p99Share: error })),
  }),
});

/** Reads a whole file. */
export function parseFitFile(
  text: string,
  { file }: { readonly file: string },
): Imported<FittedCost> {
  const problems = new ProblemList(file);
  const parsed = parseJson(text);
  if (parsed.kind === 'invalid') {
    const message = 'not valid JSON';
    const hint = 'write it with goodput fit --format json';
    problems.add({ code: 'E_CONFIG_SYNTAX', ...parsed.place, message, hint });
    return { kind: 'problems', problems: problems.toProblems() };
  }
  const checked = FIT.safeParse(parsed.value);
  if (checked.success) {
    const { device, parallelism, factors, calibration } = checked.data;
    return { kind: 'imported', value: { device, parallelism, factors, calibration }, notes: [] };
  }
  for (const issue of checked.error.issues) {
    const path = issue.path as (string | number)[];
    const message = `${path.join('.') || 'the file'}: ${issue.message}`;
    problems.add({ code: 'E_CONFIG_VALUE', ...placeInJson(text, path), message, hint: null });
  }
  return { kind: 'problems', problems: problems.toProblems() };
}
