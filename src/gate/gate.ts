/** Whether a change may go out: a few questions, each answered in words. */
import { EXIT_CODES, type ExitCode, type JsonValue, percentText } from '../base/index.ts';
import type { BudgetStatement } from '../budget/index.ts';
import {
  type Comparison,
  differingFacts,
  type FactDifference,
  type MetricComparison,
} from '../comparison/index.ts';

/**
 * - `passed`; `blocked`: the service is worse or its budget too small;
 * - `warned`: worth a look, stops nothing; `undecided`: too little data to say;
 * - `invalid`: the measurement cannot be trusted.
 */
export type GateState = 'passed' | 'blocked' | 'warned' | 'undecided' | 'invalid';

export interface GateCheck {
  readonly name: string;
  readonly state: GateState;
  /** One sentence. */
  readonly reason: string;
}

/**
 * B is the change. A regression of the service or of its answers blocks; `changeWords` says how
 * large that of one metric is.
 */
export function comparisonCheck(
  comparison: Comparison,
  changeWords: (metric: MetricComparison) => string,
): GateCheck {
  const { verdict, quality, a, excluded, metrics, attribution } = comparison;
  const name = `no worse than ${a.label}`;
  if (verdict === 'notComparable') {
    const facts = attribution.differing.map(({ fact }) => fact).join(', ');
    return { name, state: 'invalid', reason: `the two were asked differently: ${facts}` };
  }
  if (verdict === 'worse' || quality === 'worse') {
    const worse = metrics.filter((metric) => metric.verdict === 'worse').map(changeWords);
    return { name, state: 'blocked', reason: `worse in ${worse.join(', ')}` };
  }
  if (verdict === 'notEnoughData') {
    const first = excluded[0];
    return first === undefined
      ? { name, state: 'undecided', reason: 'too little data to tell' }
      : { name, state: 'invalid', reason: first.reason };
  }
  return verdict === 'noDifferenceShown'
    ? {
        name,
        state: 'undecided',
        reason: 'no difference shown, which is no proof that there is none',
      }
    : { name, state: 'passed', reason: verdict === 'better' ? 'better' : 'equivalent' };
}

/** `leastLeftShare`: part of each budget that must be left for a change to be risked. */
export function budgetChecks(statement: BudgetStatement, leastLeftShare: number): GateCheck[] {
  return [
    ...statement.budgets.map(({ kind, leftShare, offered }): GateCheck => {
      const name = `budget of ${kind}`;
      if (offered === 0) return { name, state: 'undecided', reason: 'nothing was offered' };
      const left = leftShare ?? 0;
      const reason = `${percentText(left)} left, ${percentText(leastLeftShare)} needed`;
      return { name, state: left >= leastLeftShare ? 'passed' : 'blocked', reason };
    }),
    ...statement.unknown.map((kind): GateCheck => ({
      name: `budget of ${kind}`,
      state: 'undecided',
      reason: 'the counts do not tell',
    })),
  ];
}

export type Facts = Readonly<Record<string, JsonValue>>;

/** Whether a capacity still speaks of what is to run: its facts against those of now. */
export function stalenessCheck(
  measured: Facts,
  now: Facts,
  options: { readonly blocks: boolean },
): GateCheck {
  const name = 'capacity was measured on this';
  // A fact that one side does not know is no difference, and no proof of none.
  const both = Object.keys(now).filter(
    (fact) => now[fact] !== null && (measured[fact] ?? null) !== null,
  );
  const pick = (facts: Facts): Facts =>
    Object.fromEntries(both.map((fact) => [fact, facts[fact] ?? null]));
  const differing = differingFacts(pick(measured), pick(now));
  if (differing.length > 0) {
    const reason = `stale, measure it again: ${differing.map(differenceText).join('; ')}`;
    return { name, state: options.blocks ? 'blocked' : 'warned', reason };
  }
  return both.length === 0
    ? { name, state: 'undecided', reason: 'no fact is known of both' }
    : { name, state: 'passed', reason: `the same ${both.join(', ')}` };
}

function differenceText({ fact, a, b }: FactDifference): string {
  return `${fact} was ${JSON.stringify(a)}, is ${JSON.stringify(b)}`;
}

/** As docs/errors.md orders them: untrusted before blocked; undecided only where proof is asked. */
export function gateExitCode(checks: readonly GateCheck[], requireProof: boolean): ExitCode {
  const has = (state: GateState): boolean => checks.some((check) => check.state === state);
  if (has('invalid')) return EXIT_CODES.invalidRun;
  if (has('blocked')) return EXIT_CODES.objectiveMissed;
  return requireProof && has('undecided') ? EXIT_CODES.notProven : EXIT_CODES.fine;
}
