/** Step cost as straight lines and one parabola, the form DistServe fits to its profiles. */
import type { CalibratedCostModel, Calibration } from './calibration.ts';

/** seconds = base + perToken · Σ lengths + perSquare · Σ lengths², prompts of one step. */
export interface PrefillLine {
  readonly baseSeconds: number;
  readonly secondsPerToken: number;
  readonly secondsPerSquare: number;
}

/** seconds = base + perContextToken · Σ contexts + perSequence · batch. */
export interface DecodeLine {
  readonly baseSeconds: number;
  readonly secondsPerContextToken: number;
  readonly secondsPerSequence: number;
}

export interface AffineOptions {
  readonly prefill: PrefillLine;
  /** Batches of fewer than `largeFrom` sequences, and the others. */
  readonly decode: {
    readonly small: DecodeLine;
    readonly large: DecodeLine;
    readonly largeFrom: number;
  };
  readonly calibration: Calibration;
}

/**
 * A step that only prefills, or only decodes, costs its own line. One that does both reads the
 * weights once: of the two bases the larger counts. A chunk of a prompt costs what it adds to the
 * square of the prompt's length, so that the chunks together cost what the whole prompt would.
 */
export function affineCostModel(options: AffineOptions): CalibratedCostModel {
  const { prefill, decode, calibration } = options;
  return {
    name: 'affine',
    recipe: { kind: 'affine', options },
    calibration,
    stepSeconds(load) {
      const { prefillTokens, attentionPairs, decodeSequences, decodeContextTokens } = load;
      const line = decodeSequences < decode.largeFrom ? decode.small : decode.large;
      // Pairs are q·c + q(q+1)/2, so twice the pairs less q is (c+q)² − c².
      const squares = 2 * attentionPairs - prefillTokens;
      const base = Math.max(
        prefillTokens > 0 ? prefill.baseSeconds : 0,
        decodeSequences > 0 ? line.baseSeconds : 0,
      );
      return (
        base +
        prefillTokens * prefill.secondsPerToken +
        squares * prefill.secondsPerSquare +
        decodeContextTokens * line.secondsPerContextToken +
        decodeSequences * line.secondsPerSequence
      );
    },
  };
}
