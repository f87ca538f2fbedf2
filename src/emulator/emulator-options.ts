import {
  type CostModel,
  seedCostModel,
  type EngineLimits,
  type EngineOptions,
  type SchedulingPolicy,
} from '../engine/index.ts';
import { NO_FAULTS, type FaultScript } from '../faults/index.ts';
import type { QuotaLimit } from './request-quota.ts';

/** Everything that shapes an emulator. Two with equal options answer equal prompts equally. */
export interface EmulatorOptions extends EngineLimits {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Serves over TLS with this certificate and key, in PEM; `null` = plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** The one model name it serves. */
  readonly model: string;
  readonly maxModelTokens: number;
  /** Who goes first. `priority` also makes the server honour the `priority` of a request. */
  readonly policy: SchedulingPolicy;
  /** Blocks of memory for keys and values; `null` = memory is no limit. ≥ 1. */
  readonly kvBlocks: number | null;
  /** Tokens per block. ≥ 1. */
  readonly blockTokens: number;
  /** Whether full blocks of equal beginnings are shared and kept. Needs `kvBlocks`. */
  readonly prefixCaching: boolean;
  /** Whether a request waits until blocks for its whole prompt are free. */
  readonly reserveFullPrompt: boolean;
  /**
   * How long a request may wait for its first step; then it is turned away with 503 when the next
   * step begins. So that it can be, a stream's head is held back until its request is started.
   * `null` = for ever. > 0.
   */
  readonly queueTimeoutNs: number | null;
  /** What an engine step costs. */
  readonly costModel: CostModel;
  /** Factor on the duration of every engine step: 0.1 serves ten times as fast. > 0. */
  readonly speedScale: number;
  /** Tokens gathered into one streamed event; an answer's last event may hold fewer. ≥ 1. */
  readonly tokensPerEvent: number;
  /** Whether the events of a step leave one after another until the next, as many servers' would. */
  readonly spreadEvents: boolean;
  /** Whether chat and completions tell their token counts, asked for or not. */
  readonly usage: boolean;
  /** Whether `stream_options.continuous_usage_stats` is honoured. Servers other than vLLM ignore it. */
  readonly perEventUsage: boolean;
  /** Whether a chat stream opens with a role-only delta, at admission and so before any token. */
  readonly includeRole: boolean;
  /** First tokens of every answer that are reasoning, up to all but its last. 0 = none. */
  readonly reasoningTokens: number;
  /** Shapes the length and the words of the answers. */
  readonly seed: number;
  /**
   * How a full queue (`maxWaiting`) is told: as overload, 503 without evidence of a limit, or as a
   * published limit, 429 that names it.
   */
  readonly queueFull: 'overload' | 'quota';
  /** Published limit on requests, enforced with 429; `null` = none. */
  readonly quota: QuotaLimit | null;
  /** What goes wrong, with which requests and when. */
  readonly faults: FaultScript;
  /** Where the true emission time of every event is kept. */
  readonly emissionLog: 'none' | 'memory' | { readonly path: string };
  /** File for a span of every finished request, OTLP/JSON under vLLM's names; `null` = none. */
  readonly spansPath: string | null;
}

/** The mission document's replica of a 70B model, on any free loopback port. */
export const DEFAULT_EMULATOR_OPTIONS: EmulatorOptions = {
  host: '127.0.0.1',
  port: 0,
  tls: null,
  model: 'emulated-70b',
  tokenBudget: 512,
  maxSequences: 256,
  maxWaiting: null,
  maxModelTokens: 32_768,
  longPrefillTokenThreshold: null,
  policy: 'fcfs',
  kvBlocks: null,
  blockTokens: 16,
  prefixCaching: false,
  reserveFullPrompt: true,
  queueTimeoutNs: null,
  costModel: seedCostModel,
  speedScale: 1,
  tokensPerEvent: 1,
  spreadEvents: false,
  usage: true,
  perEventUsage: true,
  includeRole: true,
  reasoningTokens: 0,
  seed: 1,
  queueFull: 'overload',
  quota: null,
  faults: NO_FAULTS,
  emissionLog: 'none',
  spansPath: null,
};

/** The engine an emulator with these options drives. */
export function emulatedEngineOptions(options: EmulatorOptions): EngineOptions {
  const { kvBlocks, blockTokens, prefixCaching, reserveFullPrompt } = options;
  const { policy, costModel, speedScale } = options;
  return {
    limits: options,
    policy,
    memory:
      kvBlocks === null
        ? null
        : { blocks: kvBlocks, blockTokens, prefixCaching, reserveFullPrompt },
    costModel,
    speedScale,
  };
}
