/** Looking at batches as they come without fooling oneself. */
import { assert } from '../base/index.ts';
import type { TimeBatch } from './batch-means.ts';

/** With fewer batches the spread between them says nothing yet. */
const BATCHES_MIN = 3;
/** How far, in standard deviations of a batch, a mean worth telling from the target lies. */
const EFFECT_SCALE = 1;

/**
 * Whether the batches so far show that their share lies above or below `target`; `null` while they
 * do not. It may be asked after every batch: the chance that it *ever* decides when the share is
 * `target` is at most `alpha`.
 *
 * Method: the Bayes factor of a t test with a normal effect, against mean = `target`, is a
 * martingale under it for normal batch means of any variance, so it reaches 1/α with chance at
 * most α (Ville). The batch variance is never taken for smaller than that of independent requests
 * at the target, because a run of perfect batches would else look infinitely sure. Batches must be
 * long against the time the service remembers; near the target short ones decide too boldly, which
 * is why a window ended by this is not used to estimate anything.
 *
 * Range: `target` and `alpha` in (0, 1). Source: Lai, Annals of Statistics 4 (1976); Wang and
 * Ramdas, Anytime-valid t-tests (2023).
 */
export function sequentialSide(
  batches: readonly TimeBatch[],
  options: { readonly target: number; readonly alpha: number },
): 'above' | 'below' | null {
  const { target, alpha } = options;
  assert(target > 0 && target < 1, `target ${target} is not in (0, 1)`);
  assert(alpha > 0 && alpha < 1, `alpha ${alpha} is not in (0, 1)`);
  const n = batches.length;
  const size = batches.reduce((sum, { offered }) => sum + offered, 0) / n;
  if (n < BATCHES_MIN || size === 0) return null;
  // Deviations over the mean size rather than shares: their sum is unbiased when sizes differ.
  const deviations = batches.map(({ good, offered }) => (good - target * offered) / size);
  const sum = deviations.reduce((total, each) => total + each, 0);
  const squares = deviations.reduce((total, each) => total + each * each, 0);
  const around = Math.max(squares - (sum * sum) / n, ((n - 1) * target * (1 - target)) / size);
  const about = around + (sum * sum) / n;
  const prior = EFFECT_SCALE ** -2;
  const logFactor =
    0.5 * Math.log(prior / (n + prior)) -
    (n / 2) * Math.log1p(-(sum * sum) / ((n + prior) * about));
  if (logFactor < Math.log(1 / alpha)) return null;
  return sum > 0 ? 'above' : 'below';
}
