/** `--what-if 'ttft<=800ms'`: the objective with some of its terms replaced. */
import type { Problem } from '../base/index.ts';
import { objectiveText, parseObjective, type Objective } from '../slo/index.ts';

/**
 * The objective with each term of `text` in place of its own term of that subject. `ttft` without a
 * range replaces the limits of all ranges. Errors: the problems of the expression.
 */
export function whatIfObjective(
  base: Objective,
  text: string,
): { readonly objective: Objective } | { readonly problems: readonly Problem[] } {
  const wanted = termsOf(text);
  const replaced = new Set(wanted.map(subjectOf));
  const kept = termsOf(objectiveText(base)).filter((term) => {
    const subject = subjectOf(term);
    return !replaced.has(subject) && !replaced.has(subject.replace(/\[.*/, ''));
  });
  const parsed = parseObjective([...wanted, ...kept].join(', '), { name: text });
  if ('problems' in parsed) return parsed;
  const { request } = parsed.objective;
  return {
    objective: {
      ...base,
      name: text,
      request: {
        ...request,
        correctness: { ...request.correctness, checks: base.request.correctness.checks },
      },
      population: parsed.objective.population,
      perspective: parsed.objective.perspective,
      timedOut: parsed.objective.timedOut,
    },
  };
}

function termsOf(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

/** What stands before the comparison; the two forms of TPOT are one subject. */
function subjectOf(term: string): string {
  const subject = (/^[^<>=]*/.exec(term)?.[0] ?? term).trim();
  return subject === 'tpotObserved' ? 'tpot' : subject;
}
