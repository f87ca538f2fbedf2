/**
 * Step cost from the shape of a model and the data sheet of a device. Formulas and their sources:
 * Vidur, LLMServingSim and aiconfigurator add the times of components as here. What a component
 * makes of memory and arithmetic is after LLMServingSim's kernel profiles of an RTX 4090 and an RTX
 * PRO 6000; `test/recorded/step-profiles.test.ts` says how near it comes to them.
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
  bandwidthShare: 0.85,
  computeShare: 0.7,
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
 * Decodes that share a step with prompts read their keys and values so many times: the kernel that
 * serves both does not share them among the query heads of a group. 1.4 to 2.5 in the profiles.
 */
const MIXED_DECODE_READS = 1.8;

/** Of the arithmetic that matrices reach, what the attention of prompts does. 0.5 to 0.8 there. */
const PROMPT_ATTENTION_SHARE = 0.6;

/**
 * The cost of a step is the sum of
 * - matrices: all weights read once (of experts, those that some token picks) and two operations
 *   per weight and token; the output matrix works on sampled tokens only. Where reading and
 *   arithmetic take about as long neither hides the other: √(reading² + arithmetic²);
 * - activations: what does not stay in the cache between two matrices, read or written;
 * - attention of decodes: their context read against its arithmetic;
 * - attention of prompts: four operations per pair of tokens and head element; reading their keys
 *   hides behind it;
 * - exchanges: two all-reduces a layer between tensor-parallel devices, and a gather and a scatter
 *   per expert layer between expert ranks;
 * - host time.
 *
 * Where layers have windows, decodes are taken to have the mean context. Tokens are taken to pick
 * experts evenly, and expert ranks to be loaded alike unless the load says what they all compute.
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
      const matrices = matrixWork(cost, load).map(({ bytes, flop }) =>
        Math.hypot(bytes * byteSeconds, flop * flopSeconds),
      );
      const decodes = decodeAttention(cost, load);
      const promptFlop = promptAttentionFlop(cost, load);
      const exchangedBytes = cost.exchangedBytesPerToken * load.computedTokens;
      return (
        matrices.reduce((sum, seconds) => sum + seconds, 0) +
        cost.activationBytesPerToken * load.computedTokens * byteSeconds +
        Math.max(decodes.bytes * byteSeconds, decodes.flop * flopSeconds) +
        (promptFlop * flopSeconds) / PROMPT_ATTENTION_SHARE +
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
  /** What every token passes; neither experts nor the output matrix. */
  readonly sharedBytes: number;
  readonly sharedFlopPerToken: number;
  readonly headBytes: number;
  readonly headFlopPerSample: number;
  readonly activationBytesPerToken: number;
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
  /** Of all the experts a token picks. */
  readonly flopPerToken: number;
}

function costOfShape({ shape, parallelism }: RooflineOptions): ShapeCost {
  const { tensor, expertRanks } = parallelism;
  const { hiddenSize, bytesPerWeight, bytesPerElement } = shape;
  const head = shape.vocabulary * hiddenSize;
  let sharedBytes = 0;
  let sharedFlopPerToken = 0;
  let activations = 0;
  const experts: ExpertCost[] = [];
  const attention = new Map<number, number>();
  let exchanges = 0;
  let exchangedBytesPerToken = 0;
  for (const layer of shape.layers) {
    const { count, mixer, feedForward } = layer;
    const shared = count * sharedParameters(layer, hiddenSize);
    sharedBytes += shared * bytesPerWeight.linear;
    sharedFlopPerToken += 2 * shared;
    activations += count * spilledActivations(layer, { hiddenSize, tensor });
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
    experts.push({
      held: feedForward.experts / expertRanks,
      leftOutShare: 1 - feedForward.active / feedForward.experts,
      ranks: expertRanks,
      bytesPerExpert: (parameters * bytesPerWeight.experts) / tensor,
      flopPerToken: (2 * feedForward.active * parameters) / tensor,
    });
    if (expertRanks > 1) {
      exchanges += 2 * count;
      exchangedBytesPerToken += 2 * count * (expertRanks - 1) * hiddenSize * bytesPerElement;
    }
  }
  return {
    sharedBytes: sharedBytes / tensor,
    sharedFlopPerToken: sharedFlopPerToken / tensor,
    headBytes: (head * bytesPerWeight.embeddings) / tensor,
    headFlopPerSample: (2 * head) / tensor,
    activationBytesPerToken: activations * bytesPerElement,
    experts,
    kv: kvSize(shape, { tensorParallel: tensor, bytesPerElement }),
    attention: [...attention].map(([windowTokens, flopPerPair]) => ({ windowTokens, flopPerPair })),
    exchanges,
    exchangedBytesPerToken,
  };
}

/**
 * Elements a token moves to or from memory between the matrices of a layer: into and out of the
 * activation function, and around the norm of either part.
 */
function spilledActivations(
  { mixer, feedForward }: ModelShape['layers'][number],
  { hiddenSize, tensor }: { readonly hiddenSize: number; readonly tensor: number },
): number {
  const norms = 2 * hiddenSize * (Number(mixer !== null) + Number(feedForward !== null));
  if (feedForward === null) return norms;
  const { kind, width, matrices } = feedForward;
  const passed = kind === 'dense' ? width : feedForward.active * width + feedForward.sharedWidth;
  return norms + (matrices * passed) / tensor;
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

/** Of the shared matrices, the output matrix and the experts. */
function matrixWork(cost: ShapeCost, load: StepLoad): readonly Work[] {
  const { computedTokens } = load;
  let [expertBytes, expertFlop] = [0, 0];
  for (const { held, leftOutShare, ranks, bytesPerExpert, flopPerToken } of cost.experts) {
    const tokens = load.expertTokens ?? ranks * computedTokens;
    expertBytes += held * (1 - leftOutShare ** tokens) * bytesPerExpert;
    expertFlop += (tokens / ranks) * flopPerToken;
  }
  const samples = load.decodeSequences + load.completedPrompts;
  return [
    { bytes: cost.sharedBytes, flop: computedTokens * cost.sharedFlopPerToken },
    { bytes: cost.headBytes, flop: samples * cost.headFlopPerSample },
    { bytes: expertBytes, flop: expertFlop },
  ];
}

function decodeAttention({ kv, attention }: ShapeCost, load: StepLoad): Work {
  const { decodeSequences, decodeContextTokens } = load;
  // A state is read and written back.
  const states = 2 * kv.stateBytes * (decodeSequences + load.prefillSequences);
  if (decodeSequences === 0) return { bytes: states, flop: 0 };
  const seen = (windowTokens: number): number =>
    Math.min(decodeContextTokens, windowTokens * decodeSequences);
  let contextBytes = decodeContextTokens * kv.bytesPerToken;
  for (const { tokens, bytesPerToken } of kv.windows) contextBytes += seen(tokens) * bytesPerToken;
  const reads = load.prefillTokens > 0 ? MIXED_DECODE_READS : 1;
  let flop = 0;
  for (const { windowTokens, flopPerPair } of attention) flop += seen(windowTokens) * flopPerPair;
  return { bytes: states + reads * contextBytes, flop };
}

function promptAttentionFlop({ attention }: ShapeCost, load: StepLoad): number {
  if (load.prefillTokens === 0) return 0;
  let flop = 0;
  for (const { windowTokens, flopPerPair } of attention) {
    flop += Math.min(load.attentionPairs, load.prefillTokens * windowTokens) * flopPerPair;
  }
  return flop;
}
