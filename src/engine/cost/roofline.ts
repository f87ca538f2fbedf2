/**
 * Step cost from the shape of a model and the data sheet of a device. Formulas and their sources:
 * Vidur, LLMServingSim and aiconfigurator add the times of components as here; a component takes
 * the longer of its memory time and its arithmetic time.
 */
import { assert } from '../../base/index.ts';
import type { StepLoad } from '../engine.ts';
import type { CalibratedCostModel, Calibration } from './calibration.ts';
import type { DeviceSheet } from './device-sheet.ts';
import { kvSize, type KvSize } from './kv-size.ts';
import { expertParameters, type ModelShape, sharedParameters } from './model-shape.ts';

/** What a real device makes of its data sheet. All ≥ 0, shares > 0. */
export interface RooflineFactors {
  /** Of the memory bandwidth. */
  readonly bandwidthShare: number;
  /** Of the arithmetic. */
  readonly computeShare: number;
  /** Host time of every step. */
  readonly stepOverheadSeconds: number;
  /** Host time of every request in a step. */
  readonly sequenceOverheadSeconds: number;
  /** Latency of one exchange between devices. */
  readonly exchangeSeconds: number;
  /** Of the link bandwidth. */
  readonly linkShare: number;
}

/** Uncalibrated: what servers of 2024–2026 reach on bf16 models, within a third. */
export const GENERIC_FACTORS: RooflineFactors = {
  bandwidthShare: 0.8,
  computeShare: 0.6,
  stepOverheadSeconds: 0.001,
  sequenceOverheadSeconds: 0,
  exchangeSeconds: 0.00001,
  linkShare: 0.7,
};

/** How the devices of one engine share a model. */
export interface Parallelism {
  /** Devices every layer is split over. */
  readonly tensor: number;
  /** Engines that serve their own requests but share the experts, in lockstep. 1 = none. */
  readonly expertRanks: number;
}

export const ONE_DEVICE: Parallelism = { tensor: 1, expertRanks: 1 };

export interface RooflineOptions {
  readonly shape: ModelShape;
  /** One device; `parallelism` says how many there are. */
  readonly device: DeviceSheet;
  readonly parallelism: Parallelism;
  readonly factors: RooflineFactors;
  readonly calibration: Calibration;
}

/**
 * The cost of a step is the sum of
 * - matrices: all weights read once (of experts, those that some token picks) against two
 *   operations per weight and token; the output matrix works on sampled tokens only;
 * - attention of decodes: their context read against its arithmetic;
 * - attention of prompts: four operations per pair of tokens and head element; reading their keys
 *   hides behind it;
 * - exchanges: two all-reduces a layer between tensor-parallel devices, and a gather and a scatter
 *   per expert layer between expert ranks;
 * - host time.
 *
 * Where layers have windows, decodes are taken to have the mean context. Expert ranks are taken to
 * be loaded alike, and tokens to pick experts evenly.
 */
export function rooflineCostModel(options: RooflineOptions): CalibratedCostModel {
  const { factors, calibration } = options;
  const { tensor, expertRanks } = options.parallelism;
  assert(tensor >= 1 && expertRanks >= 1, 'parallel devices are counted from 1');
  assert(
    factors.bandwidthShare > 0 && factors.computeShare > 0 && factors.linkShare > 0,
    'a device of which nothing is reached never ends a step',
  );
  const cost = costOfShape(options);
  const { device } = options;
  const byteSeconds = 1 / (device.memoryBytesPerSecond * factors.bandwidthShare);
  const flopSeconds = 1 / (device.flopPerSecond * factors.computeShare);
  const linkByteSeconds = 1 / (device.linkBytesPerSecond * factors.linkShare);
  return {
    name: 'roofline',
    recipe: { kind: 'roofline', options },
    calibration,
    stepSeconds(load) {
      const matrices = matrixWork(cost, load);
      const decodes = decodeAttention(cost, load);
      const promptFlop = promptAttentionFlop(cost, load);
      const exchangedBytes = cost.exchangedBytesPerToken * load.computedTokens;
      return (
        Math.max(matrices.bytes * byteSeconds, matrices.flop * flopSeconds) +
        Math.max(decodes.bytes * byteSeconds, decodes.flop * flopSeconds) +
        promptFlop * flopSeconds +
        cost.exchanges * factors.exchangeSeconds +
        exchangedBytes * linkByteSeconds +
        factors.stepOverheadSeconds +
        factors.sequenceOverheadSeconds * (load.decodeSequences + load.prefillSequences)
      );
    },
  };
}

/** Work of one device, per what a load counts. */
interface ShapeCost {
  readonly weightBytes: number;
  readonly flopPerToken: number;
  readonly flopPerSample: number;
  readonly experts: readonly ExpertCost[];
  readonly kv: KvSize;
  /** Operations per token of context and decode, by window (`Infinity` = none). */
  readonly attention: readonly { readonly windowTokens: number; readonly flopPerPair: number }[];
  readonly exchanges: number;
  readonly exchangedBytesPerToken: number;
}

interface ExpertCost {
  /** Experts on this device, and how likely a token of any rank leaves one out. */
  readonly held: number;
  readonly leftOutShare: number;
  readonly ranks: number;
  readonly bytesPerExpert: number;
}

function costOfShape({ shape, parallelism }: RooflineOptions): ShapeCost {
  const { tensor, expertRanks } = parallelism;
  const { hiddenSize, bytesPerWeight, bytesPerElement } = shape;
  const head = shape.vocabulary * hiddenSize;
  let weightBytes = head * bytesPerWeight.embeddings;
  let flopPerToken = 0;
  const experts: ExpertCost[] = [];
  const attention = new Map<number, number>();
  let exchanges = 0;
  let exchangedBytesPerToken = 0;
  for (const layer of shape.layers) {
    const { count, mixer, feedForward } = layer;
    const shared = count * sharedParameters(layer, hiddenSize);
    weightBytes += shared * bytesPerWeight.linear;
    flopPerToken += 2 * shared;
    if (mixer !== null && mixer.kind !== 'state') {
      const window = mixer.kind === 'attention' ? (mixer.windowTokens ?? Infinity) : Infinity;
      const flop = count * pairFlop(mixer);
      attention.set(window, (attention.get(window) ?? 0) + flop / tensor);
    }
    if (tensor > 1) {
      const reduced = count * (Number(mixer !== null) + Number(feedForward !== null));
      exchanges += reduced;
      const moved = (2 * (tensor - 1)) / tensor;
      exchangedBytesPerToken += reduced * moved * hiddenSize * bytesPerElement;
    }
    if (feedForward?.kind !== 'experts') continue;
    const parameters = count * expertParameters(feedForward, hiddenSize);
    flopPerToken += 2 * feedForward.active * parameters;
    experts.push({
      held: feedForward.experts / expertRanks,
      leftOutShare: 1 - feedForward.active / feedForward.experts,
      ranks: expertRanks,
      bytesPerExpert: (parameters * bytesPerWeight.experts) / tensor,
    });
    if (expertRanks > 1) {
      exchanges += 2 * count;
      exchangedBytesPerToken += 2 * count * (expertRanks - 1) * hiddenSize * bytesPerElement;
    }
  }
  return {
    weightBytes: weightBytes / tensor,
    flopPerToken: flopPerToken / tensor,
    flopPerSample: (2 * head) / tensor,
    experts,
    kv: kvSize(shape, { tensorParallel: tensor, bytesPerElement }),
    attention: [...attention].map(([windowTokens, flopPerPair]) => ({ windowTokens, flopPerPair })),
    exchanges,
    exchangedBytesPerToken,
  };
}

/** Operations of one layer for one pair of a query and a key, all heads. */
function pairFlop(
  mixer: Exclude<NonNullable<ModelShape['layers'][number]['mixer']>, { kind: 'state' }>,
): number {
  // Scores and values, a multiplication and an addition each.
  if (mixer.kind === 'attention') return 4 * mixer.queryHeads * mixer.headSize;
  // Decoding works in the compressed space (absorbed matrices): scores over rank + rope, values
  // over rank.
  return 2 * mixer.queryHeads * (2 * mixer.kvRank + mixer.ropeSize);
}

interface Work {
  readonly bytes: number;
  readonly flop: number;
}

function matrixWork(cost: ShapeCost, load: StepLoad): Work {
  let bytes = cost.weightBytes;
  for (const { held, leftOutShare, ranks, bytesPerExpert } of cost.experts) {
    const picked = held * (1 - leftOutShare ** (ranks * load.computedTokens));
    bytes += picked * bytesPerExpert;
  }
  const samples = load.decodeSequences + load.completedPrompts;
  return { bytes, flop: load.computedTokens * cost.flopPerToken + samples * cost.flopPerSample };
}

function decodeAttention({ kv, attention }: ShapeCost, load: StepLoad): Work {
  const { decodeSequences, decodeContextTokens } = load;
  // A state is read and written back.
  const states = 2 * kv.stateBytes * (decodeSequences + load.prefillSequences);
  if (decodeSequences === 0) return { bytes: states, flop: 0 };
  const seen = (windowTokens: number): number =>
    Math.min(decodeContextTokens, windowTokens * decodeSequences);
  let bytes = states + decodeContextTokens * kv.bytesPerToken;
  for (const { tokens, bytesPerToken } of kv.windows) bytes += seen(tokens) * bytesPerToken;
  let flop = 0;
  for (const { windowTokens, flopPerPair } of attention) flop += seen(windowTokens) * flopPerPair;
  return { bytes, flop };
}

function promptAttentionFlop({ attention }: ShapeCost, load: StepLoad): number {
  if (load.prefillTokens === 0) return 0;
  let flop = 0;
  for (const { windowTokens, flopPerPair } of attention) {
    flop += Math.min(load.attentionPairs, load.prefillTokens * windowTokens) * flopPerPair;
  }
  return flop;
}
