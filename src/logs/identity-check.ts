/**
 * Does a source agree with itself? TTFT + TPOT·(n − 1) must be the whole time. Where a tool's own
 * TPOT does not fit, the way it misses tells the mistake.
 */
import type { LoggedRequest } from './logged-request.ts';

/**
 * - `tpotIncludesTtft`: it is whole time / tokens;
 * - `tpotHalf`: it is half of what it should be, as when blank stream lines are taken for tokens;
 * - `tpotIsWholeAnswer`: it is the whole time, as when an answer in one chunk is taken for a token;
 * - `tpotDiffers`: it fits none of these;
 * - `ttftIsEnd`: the first token is stamped with the end, so it is not known.
 */
export type SourceFault =
  | 'tpotIncludesTtft'
  | 'tpotHalf'
  | 'tpotIsWholeAnswer'
  | 'tpotDiffers'
  | 'ttftIsEnd';

export interface SourceFinding {
  readonly fault: SourceFault;
  /** Rows that show it, of those that could. */
  readonly rows: number;
  readonly checked: number;
  /** Mean of claimed TPOT / true TPOT in these rows; `null` where TPOT is not what is wrong. */
  readonly ratioMean: number | null;
}

/** Rounded stamps and end-of-stream events move an honest figure by less. */
export const CLAIM_TOLERANCE = 0.03;
/** Of a half: the blank lines that are counted come with other small faults. */
export const HALF_TOLERANCE = 0.1;

/** What is wrong with one row's claim; `null` when it fits. Undefined where it cannot be checked. */
export function claimFault(
  row: LoggedRequest,
): { fault: SourceFault | null; ratio: number } | undefined {
  const { ttftNs, e2eNs, outputTokens, claimedTpotNs } = row;
  if (ttftNs === null || e2eNs === null || outputTokens === null || claimedTpotNs === null) {
    return undefined;
  }
  const trueNs = (e2eNs - ttftNs) / (outputTokens - 1);
  if (row.end !== 'completed' || outputTokens < 2 || trueNs <= 0) return undefined;
  const near = (ns: number, tolerance = CLAIM_TOLERANCE): boolean =>
    Math.abs(claimedTpotNs - ns) <= tolerance * ns;
  const ratio = claimedTpotNs / trueNs;
  if (near(trueNs)) return { fault: null, ratio };
  if (near(e2eNs / outputTokens)) return { fault: 'tpotIncludesTtft', ratio };
  if (near(e2eNs)) return { fault: 'tpotIsWholeAnswer', ratio };
  return { fault: near(trueNs / 2, HALF_TOLERANCE) ? 'tpotHalf' : 'tpotDiffers', ratio };
}

/** Counts faults over a log. */
export class IdentityCheck {
  #claims = 0;
  #rows = 0;
  readonly #found = new Map<SourceFault, { rows: number; ratios: number }>();

  add(row: LoggedRequest): void {
    this.#rows += 1;
    if (row.oddity !== null) this.#note(row.oddity, 0);
    if (row.claimedTpotNs === null) return;
    const claim = claimFault(row);
    if (claim === undefined) return;
    this.#claims += 1;
    if (claim.fault !== null) this.#note(claim.fault, claim.ratio);
  }

  findings(): SourceFinding[] {
    return [...this.#found].map(([fault, { rows, ratios }]) => ({
      fault,
      rows,
      checked: fault === 'ttftIsEnd' ? this.#rows : this.#claims,
      ratioMean: fault === 'ttftIsEnd' ? null : ratios / rows,
    }));
  }

  #note(fault: SourceFault, ratio: number): void {
    const found = this.#found.get(fault) ?? { rows: 0, ratios: 0 };
    found.rows += 1;
    found.ratios += ratio;
    this.#found.set(fault, found);
  }
}
