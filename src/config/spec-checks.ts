/** What must hold between keys: contradictions, and budgets that cannot hold the load. */
import { assertNever, durationText, NS_PER_SECOND, type Problem } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';
import type { LengthDistribution } from '../workload/index.ts';
import { DIALECTS } from '../wire/index.ts';
import { loadKindOf, workloadKindOf } from './exclusive-keys.ts';
import { valueAt, type KeyPath, type Written } from './key-path.ts';
import { howToWrite, problemAt, quotedSubject, subjectOf } from './problem-at.ts';
import { quotaProblems } from './quota-checks.ts';
import { connectionProblems } from './connection-checks.ts';
import type { ReadSections } from './run-file-schema.ts';
import { sessionProblems } from './session-checks.ts';

/**
 * Checks across keys. `sections` holds those that could be read, so one bad value does not hide
 * the mistakes elsewhere.
 */
export function specProblems(
  sections: ReadSections,
  objective: Objective | null,
  written: Written,
): Problem[] {
  return [
    ...loadProblems(sections, written),
    ...streamProblems(sections, objective, written),
    ...keyHeaderProblems(sections, written),
    ...connectionProblems(sections, written),
    ...exactProblems(sections, written),
    ...workloadProblems(sections, written),
    ...sessionProblems(sections, written),
    ...priceProblems(sections, written),
    ...budgetProblems(sections, written),
    ...quotaProblems(sections, written),
  ];
}

function conflict(written: Written, path: KeyPath, message: string, hint: string): Problem {
  return problemAt(written, path, 'conflict', { message, hint });
}

function loadProblems(sections: ReadSections, written: Written): Problem[] {
  const problems: Problem[] = [];
  const { load, duration, warmup } = sections;
  if (loadKindOf(written.tree) === null) {
    problems.push(
      problemAt(written, ['load'], 'missing', {
        message: 'no load is given',
        hint:
          written.file === null
            ? 'add --rate 4 (open loop), --concurrency 8 or --users 10 --think 2s (closed loops)'
            : 'write load: { rate: 4 }, { concurrency: 8 } or { users: 10, think: 2s }',
        at: 'key',
      }),
    );
  }
  if (load?.users !== undefined && load.think === undefined) {
    const path = ['load', 'think'];
    problems.push(
      problemAt(written, path, 'missing', {
        message: `${subjectOf(written, path)} is missing: users think between two requests`,
        hint: howToWrite(written, path, '2s'),
      }),
    );
  }
  if (duration !== undefined && warmup !== undefined && warmup >= duration) {
    const message = `${subjectOf(written, ['warmup'])} leaves nothing of the ${durationText(duration)} to measure`;
    problems.push(
      conflict(written, ['warmup'], message, 'warm up for less, or measure for longer'),
    );
  }
  return problems;
}

function streamProblems(
  { target }: ReadSections,
  objective: Objective | null,
  written: Written,
): Problem[] {
  if (target === undefined || target.stream) return [];
  const problems: Problem[] = [];
  const stream = subjectOf(written, ['target', 'stream']);
  if (target.tokensPerEvent === 'one') {
    const path = ['target', 'tokensPerEvent'];
    const message = `${subjectOf(written, path)} speaks of a stream, and ${stream} turns it off`;
    problems.push(conflict(written, path, message, `remove one of them`));
  }
  const request = objective?.request;
  const limits = [
    request?.ttft,
    request?.firstAnswerNs,
    request?.tpot,
    request?.gapMaxNs,
    request?.gapQuantile,
  ];
  const quantiles = objective?.population.quantiles ?? [];
  const needsStream =
    limits.some((limit) => limit !== null && limit !== undefined) ||
    quantiles.some(({ measure }) => measure !== 'e2e');
  if (needsStream) {
    const message = `the objective limits ttft, tpot or gaps, which nobody sees without a stream`;
    problems.push(conflict(written, ['slo'], message, 'limit e2e instead, or stream'));
  }
  return problems;
}

function keyHeaderProblems({ target }: ReadSections, written: Written): Problem[] {
  if (target === undefined) return [];
  const keyHeader = target.keyHeader ?? DIALECTS[target.api].keyHeader;
  const name = Object.keys(target.headers).find((header) => header.toLowerCase() === keyHeader);
  if (name === undefined) return [];
  const path = ['target', 'keyHeader'];
  const message = `${quotedSubject(written, path)} is among the extra headers as well`;
  return [conflict(written, path, message, 'keep one of them')];
}

function exactProblems({ target }: ReadSections, written: Written): Problem[] {
  if (target === undefined || !target.exact || DIALECTS[target.api].exactLength) return [];
  const path = ['target', 'exact'];
  const message = `${subjectOf(written, path)} is nothing the ${target.api} API can be asked for`;
  const hint = 'leave it out: answers then end where the model ends them';
  return [problemAt(written, path, 'conflict', { message, hint })];
}

function workloadProblems({ target, workload }: ReadSections, written: Written): Problem[] {
  const kind = workloadKindOf(written.tree);
  const prioritised = workload?.classes?.some(({ priority }) => priority !== 0) === true;
  if (prioritised && target?.body['priority'] !== undefined) {
    const path = ['target', 'body', 'priority'];
    const message = `${subjectOf(written, path)} is one for all, and the classes have their own`;
    return [conflict(written, path, message, 'keep the priorities of the classes')];
  }
  if (kind === 'bodies' && target?.exact === true) {
    const path = ['target', 'exact'];
    const message = `${subjectOf(written, path)} sets answer lengths, and bodies are sent as they are`;
    return [conflict(written, path, message, 'put ignore_eos and min_tokens into the bodies')];
  }
  const prefix = workload?.prefix;
  if (kind !== 'synthetic' || prefix === undefined) return [];
  const path = ['workload', 'prefix'];
  if (prefix.kind === 'asGiven') {
    const message = `${quotedSubject(written, path)} needs given prompts, and these are synthetic`;
    return [conflict(written, path, message, 'write unique or shared:512')];
  }
  if (prefix.kind === 'shared' && workload?.input !== undefined) {
    const longest = lengthBounds(workload.input).max;
    if (prefix.tokens > longest) {
      const message = `${quotedSubject(written, path)} is longer than the longest prompt (${longest})`;
      return [conflict(written, path, message, 'share less, or make prompts longer')];
    }
  }
  return [];
}

const COST = ['budget', 'maxCost'];

function priceProblems({ budget }: ReadSections, written: Written): Problem[] {
  if (budget?.maxCost === undefined) return [];
  return (['inputPrice', 'outputPrice'] as const)
    .filter((key) => budget[key] === undefined)
    .map((key) => {
      const path = ['budget', key];
      return problemAt(
        written,
        valueAt(written.tree, path) === undefined ? COST : path,
        'missing',
        {
          message: `${subjectOf(written, COST)} needs ${subjectOf(written, path)}`,
          hint: howToWrite(written, path, '0.5'),
        },
      );
    });
}

function budgetProblems(sections: ReadSections, written: Written): Problem[] {
  const { budget, load, workload, duration } = sections;
  if (budget === undefined) return [];
  const problems: Problem[] = [];
  const impossible = (key: string, message: string, hint: string): void => {
    const path = ['budget', key];
    const full = `${quotedSubject(written, path)} ${message}`;
    problems.push(problemAt(written, path, 'impossible', { message: full, hint }));
  };
  if (budget.maxRequests !== undefined && load?.rate !== undefined && duration !== undefined) {
    const perPoint = sections.requests ?? Number.POSITIVE_INFINITY;
    const expected = load.rate
      .map((rps) => Math.min(Math.ceil((rps * duration) / NS_PER_SECOND), perPoint))
      .reduce((sum, requests) => sum + requests, 0);
    if (expected > budget.maxRequests) {
      impossible(
        'maxRequests',
        `is less than the ${expected} requests that this load expects`,
        `raise it to ${expected}, or shorten the run`,
      );
    }
  }
  const shortest = workload === undefined ? null : shortestAnswer(sections, written);
  if (budget.maxTokens !== undefined && shortest !== null && budget.maxTokens < shortest) {
    impossible(
      'maxTokens',
      `is less than one answer of ${shortest} tokens`,
      `raise it to ${shortest} at least`,
    );
  }
  const levels = [...(load?.concurrency ?? []), ...(load?.users ?? [])];
  const level = Math.max(0, ...levels);
  if (budget.maxInFlight !== undefined && budget.maxInFlight < level) {
    impossible(
      'maxInFlight',
      `is less than the ${level} requests that the load keeps in flight`,
      `raise it to ${level}, or leave it out`,
    );
  }
  return [...problems, ...costProblems(sections, shortest, written)];
}

function costProblems(
  { budget, workload }: ReadSections,
  shortest: number | null,
  written: Written,
): Problem[] {
  const { maxCost, inputPrice, outputPrice } = budget ?? {};
  if (maxCost === undefined || shortest === null || outputPrice === undefined) return [];
  const input = workload?.input === undefined ? 0 : lengthBounds(workload.input).min;
  const costUsd = (shortest * outputPrice + input * (inputPrice ?? 0)) / 1e6;
  if (costUsd <= maxCost) return [];
  const message = `${quotedSubject(written, COST)} is less than one request (about ${costUsd} USD)`;
  return [problemAt(written, COST, 'impossible', { message, hint: 'raise it, or ask for less' })];
}

/** Fewest answer tokens that any request may ask for; `null` where a file decides. */
function shortestAnswer({ workload }: ReadSections, written: Written): number | null {
  if (workload?.classes !== undefined) {
    return Math.min(...workload.classes.map(({ output }) => lengthBounds(output).min));
  }
  if (workloadKindOf(written.tree) !== 'synthetic' || workload?.output === undefined) return null;
  return lengthBounds(workload.output).min;
}

function lengthBounds(distribution: LengthDistribution): {
  readonly min: number;
  readonly max: number;
} {
  switch (distribution.kind) {
    case 'fixed':
      return { min: distribution.tokens, max: distribution.tokens };
    case 'uniform':
    case 'lognormal':
      return { min: distribution.min, max: distribution.max };
    case 'empirical': {
      const tokens = distribution.values.map((value) => value.tokens);
      return { min: Math.min(...tokens), max: Math.max(...tokens) };
    }
    default:
      return assertNever(distribution);
  }
}
