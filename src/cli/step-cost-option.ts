/** `--config` with `--device` or `--fit`, or `--step-cost`: what a step of the server costs. */
import { type JsonValue, printable, ProblemsError, usageProblem } from '../base/index.ts';
import {
  affineCostModel,
  axesBeyond,
  type CalibratedCostModel,
  type CostModel,
  GENERIC_FACTORS,
  type HullAxis,
  kvBytesAt,
  kvSize,
  type LoadHull,
  rooflineCostModel,
  SEED_KV_BYTES_PER_TOKEN,
  seedCostModel,
  tableCostModel,
} from '../engine/index.ts';
import {
  type FittedCost,
  parseAffineCost,
  parseFitFile,
  parseModelConfig,
  parseTableCost,
} from '../importers/index.ts';
import { readDevice } from './device-option.ts';
import { readTextFile } from './files.ts';
import { imported } from './measured-runs.ts';
import type { OptionReader } from './option-reader.ts';

export interface StepCostFlags {
  readonly config?: string;
  readonly device?: string;
  readonly fit?: string;
  readonly stepCost?: string;
  readonly tensorParallel?: string;
}

export interface StepCost {
  readonly model: CostModel;
  readonly description: JsonValue;
  /** What a prompt's tokens hold on all devices of a replica together; `null` where not known. */
  readonly kvBytesOf: ((tokens: number) => number) | null;
  /** Axes along which such steps are beyond what the model was measured on. */
  readonly beyondMeasured: (reached: LoadHull) => readonly HullAxis[];
}

/** Adds a problem for every option that needs another or excludes it. */
export function checkStepCostFlags(flags: StepCostFlags, reader: OptionReader): void {
  const { config, device, fit, stepCost, tensorParallel } = flags;
  const needs = (one: string, other: string): void => {
    reader.add(usageProblem('E_USAGE_MISSING', `${one} needs ${other} beside it`));
  };
  if (stepCost !== undefined) {
    const others = { '--config': config, '--device': device, '--fit': fit };
    for (const [flag, value] of Object.entries({
      ...others,
      '--tensor-parallel': tensorParallel,
    })) {
      if (value === undefined) continue;
      const message = `--step-cost says all that ${flag} would`;
      reader.add(usageProblem('E_USAGE_CONFLICT', message, `leave ${flag} out`));
    }
    if (!/^(affine|table):./.test(stepCost)) {
      const message = `--step-cost ${printable(stepCost)} names no kind of cost`;
      reader.add(usageProblem('E_USAGE_VALUE', message, 'affine:FILE.yaml or table:FILE.csv'));
    }
    return;
  }
  if (fit !== undefined) {
    if (config === undefined) needs('--fit', '--config');
    const excluded = device === undefined ? '--tensor-parallel' : '--device';
    if (device !== undefined || tensorParallel !== undefined) {
      const message = `--fit says what ${excluded} would`;
      reader.add(usageProblem('E_USAGE_CONFLICT', message, `leave ${excluded} out`));
    }
    return;
  }
  if (config !== undefined && device === undefined) needs('--config', '--device or --fit');
  if (config === undefined && device !== undefined) needs('--device', '--config');
  if (tensorParallel !== undefined && device === undefined) {
    reader.add(usageProblem('E_USAGE_MISSING', '--tensor-parallel needs --device and --config'));
  }
}

/**
 * The cost that the flags, already checked, describe; without any the mission document's.
 * Errors: ProblemsError for a broken file, or a fit of engines that step together.
 */
export function readStepCost(flags: StepCostFlags, tensor: number): StepCost {
  const { config, device, fit, stepCost } = flags;
  if (stepCost !== undefined) return readMeasuredCost(stepCost);
  if (config === undefined) {
    return {
      model: seedCostModel,
      description: seedCostModel.name,
      kvBytesOf: (tokens) => tokens * SEED_KV_BYTES_PER_TOKEN,
      beyondMeasured: () => [],
    };
  }
  const shape = imported(parseModelConfig(readTextFile(config), { file: config }));
  const cost: FittedCost =
    fit === undefined
      ? {
          device: readDevice(device ?? ''),
          parallelism: { tensor, expertRanks: 1 },
          factors: GENERIC_FACTORS,
          calibration: UNFITTED,
        }
      : readFit(fit);
  const model = rooflineCostModel({ shape, ...cost });
  const devices = cost.parallelism.tensor;
  const size = kvSize(shape, { tensorParallel: devices, bytesPerElement: shape.bytesPerElement });
  return {
    kvBytesOf: (tokens) => devices * kvBytesAt(size, tokens),
    model,
    beyondMeasured: beyondMeasured(model),
    description: JSON.parse(JSON.stringify({ name: model.name, shape, ...cost })) as JsonValue,
  };
}

const UNFITTED = {
  provenance: 'data sheet and generic factors',
  hull: null,
  residuals: [],
} as const;

function readFit(file: string): FittedCost {
  const fit = imported(parseFitFile(readTextFile(file), { file }));
  if (fit.parallelism.expertRanks === 1) return fit;
  const message = `the fit is of ${fit.parallelism.expertRanks} engines that share experts and step together`;
  const hint =
    'simulate serves replicas that step on their own; goodput fit --holdout predicts such engines';
  throw new ProblemsError([usageProblem('E_UNSUPPORTED', message, hint)]);
}

/** `affine:FILE` or `table:FILE`, already known to be one of them. */
function readMeasuredCost(stepCost: string): StepCost {
  const colon = stepCost.indexOf(':');
  const kind = stepCost.slice(0, colon);
  const file = stepCost.slice(colon + 1);
  const text = readTextFile(file);
  const model =
    kind === 'affine'
      ? affineCostModel(imported(parseAffineCost(text, { file })))
      : tableCostModel(imported(parseTableCost(text, { file })));
  return {
    model,
    // How many bytes a token holds is not among what was measured.
    kvBytesOf: null,
    description: JSON.parse(JSON.stringify(model.recipe)) as JsonValue,
    beyondMeasured: beyondMeasured(model),
  };
}

function beyondMeasured({ calibration }: CalibratedCostModel): StepCost['beyondMeasured'] {
  return (reached) => (calibration.hull === null ? [] : axesBeyond(calibration, reached));
}
