/** `--config` with `--device` or `--fit`: what a step of the simulated server costs. */
import { type JsonValue, ProblemsError, usageProblem } from '../base/index.ts';
import {
  axesBeyond,
  type CalibratedCostModel,
  type CostModel,
  EMPTY_HULL,
  GENERIC_FACTORS,
  type HullAxis,
  kvBytesAt,
  kvSize,
  rooflineCostModel,
  SEED_KV_BYTES_PER_TOKEN,
  seedCostModel,
  widenHull,
} from '../engine/index.ts';
import { type FittedCost, parseFitFile, parseModelConfig } from '../importers/index.ts';
import { readDevice } from './device-option.ts';
import { readTextFile } from './files.ts';
import { imported } from './measured-runs.ts';
import type { OptionReader } from './option-reader.ts';

export interface StepCostFlags {
  readonly config?: string;
  readonly device?: string;
  readonly fit?: string;
  readonly tensorParallel?: string;
}

export interface StepCost {
  readonly model: CostModel;
  readonly description: JsonValue;
  /** What a prompt's tokens hold on all devices of a replica together; `null` where not known. */
  readonly kvBytesOf: ((tokens: number) => number) | null;
  /** Axes along which the steps costed so far left what the model was fitted to. */
  readonly beyondFit: () => readonly HullAxis[];
}

/** Adds a problem for every option that needs another or excludes it. */
export function checkStepCostFlags(flags: StepCostFlags, reader: OptionReader): void {
  const { config, device, fit, tensorParallel } = flags;
  const needs = (one: string, other: string): void => {
    reader.add(usageProblem('E_USAGE_MISSING', `${one} needs ${other} beside it`));
  };
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
  const { config, device, fit } = flags;
  if (config === undefined) {
    return {
      model: seedCostModel,
      description: seedCostModel.name,
      kvBytesOf: (tokens) => tokens * SEED_KV_BYTES_PER_TOKEN,
      beyondFit: () => [],
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
  const { calibration } = model;
  const devices = cost.parallelism.tensor;
  const size = kvSize(shape, { tensorParallel: devices, bytesPerElement: shape.bytesPerElement });
  return {
    kvBytesOf: (tokens) => devices * kvBytesAt(size, tokens),
    ...(calibration.hull === null ? { model, beyondFit: () => [] } : watched(model)),
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
  const message = 'the fit is of engines that share experts and step together';
  throw new ProblemsError([
    usageProblem('E_UNSUPPORTED', message, 'replicas are simulated apart from one another'),
  ]);
}

/** The same model, remembering the largest loads it was asked about. */
function watched(model: CalibratedCostModel): Pick<StepCost, 'model' | 'beyondFit'> {
  let reached = EMPTY_HULL;
  return {
    model: {
      name: model.name,
      stepSeconds(load) {
        reached = widenHull(reached, load);
        return model.stepSeconds(load);
      },
    },
    beyondFit: () => axesBeyond(model.calibration, reached),
  };
}
