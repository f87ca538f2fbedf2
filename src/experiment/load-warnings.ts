/** What the preflight lets us say about the load before a request of it is spent. */
import type { RunSpec } from '../config/index.ts';
import type { Objective } from '../slo/index.ts';
import type { RunPlan } from './plan-run.ts';
import type { Preflight } from './preflight.ts';
import { toldLimitWarnings } from './quota-plan.ts';

/** One sentence each, for the user to stop at; the load goes on. */
export function loadWarnings(
  spec: Pick<RunSpec, 'objective'>,
  plan: Pick<RunPlan, 'points'>,
  ready: Preflight,
): string[] {
  const warnings = tokenizerWarnings(ready);
  const { answer, talk, identity, limits } = ready;
  const isUncounted = talk.tokens === 'none' && talk.local?.judged !== true;
  if (answer !== null && isUncounted && limitsTpot(spec.objective)) {
    warnings.push(
      'the server reports no token usage, so TPOT will be unknown and requests unjudged; judge the ' +
        'pace with gap<=… instead of tpot<=…, or count them here with --tokenizer',
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
  return [...warnings, ...toldLimitWarnings(plan.points, limits)];
}

/** What the local tokenizer cannot do here, or does in the server's stead. */
function tokenizerWarnings({ talk: { local }, fit }: Preflight): string[] {
  if (local === null) return [];
  const { tokenizer } = local;
  const serverPerLocal = fit?.serverPerLocal ?? 1;
  const warnings: string[] = [];
  if (local.judged) {
    warnings.push(
      `the server reports no token usage: output tokens are by ${tokenizer}, not by the server`,
    );
  }
  if (serverPerLocal !== 1) {
    warnings.push(
      `${tokenizer} is not the server's tokenizer: the server counts ${serverPerLocal.toFixed(3)} ` +
        'prompt tokens for one of its; prompts are made to length by the server’s count',
    );
  } else if (fit?.prompts === 'calibrated') {
    warnings.push(
      `${tokenizer} has too few words of one token: prompts are made to length by the server’s count`,
    );
  } else if (fit?.prompts === 'uncounted') {
    warnings.push(
      `the server counts no prompts: they have the length asked for by ${tokenizer}, without what the ` +
        'chat template adds',
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
