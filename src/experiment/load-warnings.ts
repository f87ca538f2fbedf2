/** What the preflight lets us say about the load before a request of it is spent. */
import type { RunSpec } from '../config/index.ts';
import type { Objective } from '../slo/index.ts';
import type { RunPlan } from './plan-run.ts';
import type { Preflight } from './preflight.ts';

/** One sentence each, for the user to stop at; the load goes on. */
export function loadWarnings(
  spec: Pick<RunSpec, 'objective'>,
  plan: Pick<RunPlan, 'points'>,
  { answer, talk, identity }: Preflight,
): string[] {
  const warnings: string[] = [];
  if (answer !== null && talk.tokens === 'none' && limitsTpot(spec.objective)) {
    warnings.push(
      'the server reports no token usage, so TPOT will be unknown and requests unjudged; judge the ' +
        'pace with gap<=… instead of tpot<=…',
    );
  }
  const limit = identity.models?.find(({ id }) => id === talk.model)?.maxModelTokens ?? null;
  const longest = longestRequestTokens(plan);
  if (limit !== null && longest > limit) {
    warnings.push(
      `the longest request may take ${longest} tokens, prompt and answer together, and the model ` +
        `takes at most ${limit}: expect refusals`,
    );
  }
  return warnings;
}

function limitsTpot(objective: Objective | null): boolean {
  if (objective === null) return false;
  const { request, population } = objective;
  return request.tpot !== null || population.quantiles.some(({ measure }) => measure === 'tpot');
}

function longestRequestTokens({ points }: Pick<RunPlan, 'points'>): number {
  let longest = 0;
  for (const { schedule } of points) {
    for (const { promptTokens, outputTokensMax } of schedule.requests) {
      longest = Math.max(longest, (promptTokens ?? 0) + (outputTokensMax ?? 0));
    }
  }
  return longest;
}
