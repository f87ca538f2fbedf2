/** Whether the workload was the one asked for: answer lengths, cache, tokens per event. */
import { percentText } from '../base/index.ts';
import type { RequestRow } from './request-row.ts';
import type { ValidityReason } from './summary.ts';
import { counted } from './validity-words.ts';

const OUTPUT_LENGTH_SHARE = 0.01;
/** More than a chat template's tokens in a prompt of a few hundred. */
const CACHED_SHARE = 0.25;
/** A cache whose share moves by less, first third to last, is not called drifting. */
const DRIFT_SHARE = 0.1;
/** And not by less than chance moves it. */
const DRIFT_STANDARD_ERRORS = 4;

export function outputLengthReason(
  rows: readonly RequestRow[],
  isExact: boolean,
): ValidityReason | null {
  const known = rows.filter(
    (row) =>
      row.outcome === 'completed' && row.outputTokens !== null && row.outputTokensMax !== null,
  );
  const off = known.filter((row) => row.outputTokens !== row.outputTokensMax).length;
  if (!isExact || off === 0) return null;
  return {
    check: 'outputLengths',
    severity: off / known.length > OUTPUT_LENGTH_SHARE ? 'invalid' : 'note',
    message: `${off} of ${known.length} answers did not have the exact length asked for`,
    advice: 'check that the server honours ignore_eos and min_tokens',
  };
}

/** The workload was not what was asked when prompts meant to be unique came from the cache. */
export function cachedShareReason(
  cachedTokenShare: number | null,
  prefixCache: string,
): ValidityReason | null {
  if (prefixCache !== 'unique' || cachedTokenShare === null || cachedTokenShare <= CACHED_SHARE) {
    return null;
  }
  return {
    check: 'cachedShare',
    severity: 'invalid',
    message: `prompts were to be unique, yet ${percentText(cachedTokenShare)} of their tokens came from the prefix cache`,
    advice: 'use longer prompts, or declare the prefix shared',
  };
}

/**
 * The cached share of prompt tokens in the first third of the judged window against the last: while
 * it moves the load is not one load, and no figure belongs to either. A trace may ask for just
 * that, so there it is only said.
 */
export function cacheDriftReason(
  rows: readonly RequestRow[],
  isTrace: boolean,
): ValidityReason | null {
  const told = rows.flatMap(({ cachedPromptTokens: cached, promptTokens }) =>
    cached === null || promptTokens === null || promptTokens === 0 ? [] : [cached / promptTokens],
  );
  const third = Math.floor(told.length / 3);
  const first = meanAndError(told.slice(0, third));
  const last = meanAndError(told.slice(-third));
  if (first === null || last === null) return null;
  const moved = Math.abs(last.mean - first.mean);
  const chance = DRIFT_STANDARD_ERRORS * Math.hypot(first.standardError, last.standardError);
  if (moved <= Math.max(DRIFT_SHARE, chance)) return null;
  const severity = isTrace ? 'note' : moved > CACHED_SHARE ? 'invalid' : 'warning';
  return {
    check: 'cacheDrift',
    severity,
    message: `the prefix cache drifted: ${percentText(first.mean)} of a prompt came from it in the first third, ${percentText(last.mean)} in the last`,
    advice: isTrace ? null : 'warm the cache up first (--warmup), or run longer than it drifts',
  };
}

/** `null` below ten values: their spread says nothing yet. */
function meanAndError(values: readonly number[]): { mean: number; standardError: number } | null {
  const n = values.length;
  if (n < 10) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, standardError: Math.sqrt(squares / (n - 1) / n) };
}

/** Declared or told one token per event, and then the counts differ: TPOT is an estimate there. */
export function alignmentReason(rows: readonly RequestRow[]): ValidityReason | null {
  const completed = rows.filter((row) => row.outcome === 'completed');
  const broken = completed.filter((row) => row.alignmentBroken).length;
  if (broken === 0) return null;
  return {
    check: 'tokenAlignment',
    severity: 'warning',
    message: `${broken} of ${completed.length} answers had more or fewer tokens than events, though one per event was expected`,
    advice: 'their TPOT is an estimate and they give no token gaps',
  };
}

/** Counted as failed, since the server may have taken them; said, since it may not have. */
export function lostOnReuseReason(rows: readonly RequestRow[]): ValidityReason | null {
  const what = counted(
    rows.filter((row) => row.lostOnReuse).length,
    'failed request met a kept connection',
    'failed requests met kept connections',
  );
  if (what === null) return null;
  return {
    check: 'lostOnReuse',
    severity: 'warning',
    message: `${what} that the server was closing: a race, not a sign of load`,
    advice: 'have the server keep idle connections for more than 5 s',
  };
}
