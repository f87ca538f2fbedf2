/** The limits a page asks about: from the address to an objective. */
import { nsFromMs } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';

/** A day: no latency limit is longer. */
const LIMIT_MOST_MS = 86_400_000;

/**
 * `base` with other limits: `ttft` (one per bucket of the base), `tpot`, `gap`, `e2e` in
 * milliseconds, `attainment` in percent. Empty = no limit; a key left out stays as it was.
 *
 * Errors: a sentence when a value is no number in range, or TTFT has not one for each bucket.
 */
export function askedObjective(base: Objective, asked: URLSearchParams): Objective | string {
  const faults: string[] = [];
  const read = (key: string, text: string, most: number): number | null => {
    if (text.trim() === '') return null;
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0 && value <= most) return value;
    faults.push(`${key} must be a number from 0 to ${most}`);
    return null;
  };
  const ms = (key: string, current: number | null): number | null => {
    const text = asked.get(key);
    if (text === null) return current;
    const value = read(key, text, LIMIT_MOST_MS);
    return value === null ? null : nsFromMs(value);
  };
  const { request, population } = base;
  const tpotNs = ms('tpot', request.tpot?.limitNs ?? null);
  const percent = asked.get('attainment');
  const share = percent === null ? null : read('attainment', percent, 100);
  const ttft = ttftOf(base, asked.getAll('ttft'), (text) => read('ttft', text, LIMIT_MOST_MS));
  if (typeof ttft === 'string') faults.push(ttft);
  const objective: Objective = {
    ...base,
    request: {
      ...request,
      ttft: typeof ttft === 'string' ? null : ttft,
      tpot: tpotNs === null ? null : { basis: request.tpot?.basis ?? 'any', limitNs: tpotNs },
      gapMaxNs: ms('gap', request.gapMaxNs),
      e2eNs: ms('e2e', request.e2eNs),
    },
    population: {
      ...population,
      attainmentShare:
        percent === null ? population.attainmentShare : share === null ? null : share / 100,
    },
  };
  return faults[0] ?? objective;
}

/** All buckets or none: a bucket without a limit would not be judged alike. */
function ttftOf(
  { request }: Objective,
  texts: readonly string[],
  read: (text: string) => number | null,
): Objective['request']['ttft'] | string {
  if (texts.length === 0) return request.ttft;
  const buckets = request.ttft ?? [{ fromTokens: 0, toTokens: null }];
  if (texts.length !== buckets.length) return `ttft needs ${buckets.length} limits`;
  const limits = texts.map(read);
  if (limits.every((limit) => limit === null)) return null;
  if (limits.includes(null)) return 'give every TTFT bucket a limit, or none';
  return buckets.map(({ fromTokens, toTokens }, at) => ({
    fromTokens,
    toTokens,
    limitNs: nsFromMs(limits[at] as number),
  }));
}
