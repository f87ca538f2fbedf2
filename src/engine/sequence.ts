import type { EngineRequest } from './engine.ts';
import type { KvBlock } from './block-table.ts';

/**
 * Where a request is: in line; in the batch; with its place and blocks, receiving what another
 * engine computed; or with all its tokens, keeping its blocks for another engine.
 */
export type SequencePlace = 'waiting' | 'batch' | 'receiving' | 'handing';

/** A request the engine holds, and how far it has come. */
export interface Sequence {
  readonly request: EngineRequest;
  readonly priority: number;
  /** Place in the order of admission, from 0. */
  readonly arrival: number;
  place: SequencePlace;
  /** What it computes in the step being planned or under way, if it has a share in it. */
  shareTokens: number;
  /**
   * Tokens whose keys and values it holds. The newest token is not among them, because its keys and
   * values are computed by the step that takes it as input: a request ends with prompt + output − 1.
   */
  computedTokens: number;
  /** Tokens of the answer so far. */
  generatedTokens: number;
  /** The most it had computed when it was preempted; 0 = never was. */
  lostTokens: number;
  /** Tokens it can come to hold before it must turn to the memory again. */
  roomTokens: number;
  /** Of a prefix cache: the blocks it holds, in order. */
  readonly blocks: KvBlock[];
  /** Of a prefix cache: how many of the leading blocks can be found there. */
  filedBlocks: number;
  /** Of a prefix cache: the full blocks a preemption took from it, and which use of them was its. */
  lostBlocks: readonly { readonly block: KvBlock; readonly use: number }[];
}

/** Prompt and answer so far: what must be computed before the next token. */
export function knownTokens(sequence: Sequence): number {
  return sequence.request.promptTokens + sequence.generatedTokens;
}

/** Order of service: negative when `one` goes before `other`; never 0 for two of one engine. */
export function serviceOrder(one: Sequence, other: Sequence): number {
  return one.priority - other.priority || one.arrival - other.arrival;
}
