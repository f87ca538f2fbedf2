/** What an engineer expected of a change, and whether the comparison bears it out. */
import { assertNever } from '../base/index.ts';
import { metricNamed, parseSignedShare } from './metric.ts';
import type { MetricComparison } from './comparison.ts';

/** One expectation: `p50(tpot) <= -5%`, `goodput >= +3%`, `p95(ttft) unchanged`. */
export interface ExpectedChange {
  readonly metric: string;
  readonly relation: 'atLeast' | 'atMost' | 'unchanged';
  /** Of the change of B against A, signed; 0 for `unchanged`, where the minimum effect decides. */
  readonly change: number;
}

/** What was changed, where it should help, and what that should do. */
export interface Hypothesis {
  readonly change: string;
  readonly bottleneck: string | null;
  readonly expected: readonly ExpectedChange[];
}

/** `confirmed`: the whole interval agrees. `notConfirmed`: none of it does. Else `cannotTell`. */
export type Answer = 'confirmed' | 'notConfirmed' | 'cannotTell';

export interface HypothesisAnswer extends Hypothesis {
  /** Confirmed when all expectations are; not confirmed when any is not. */
  readonly answer: Answer;
  /** In the order of the expectations. */
  readonly answers: readonly Answer[];
}

/** The answer of each expectation and of all together. */
export function answerHypothesis(
  hypothesis: Hypothesis,
  metrics: readonly MetricComparison[],
): HypothesisAnswer {
  const answers = hypothesis.expected.map((expected) => {
    const metric = metrics.find(({ metric: name }) => name === expected.metric);
    return metric === undefined ? 'cannotTell' : answerOf(expected, metric);
  });
  const answer = answers.includes('notConfirmed')
    ? 'notConfirmed'
    : answers.every((each) => each === 'confirmed')
      ? 'confirmed'
      : 'cannotTell';
  return { ...hypothesis, answers, answer };
}

function answerOf({ relation, change }: ExpectedChange, metric: MetricComparison): Answer {
  const { interval, verdict } = metric;
  if (interval === null) return 'cannotTell';
  const { low, high } = interval;
  switch (relation) {
    case 'atLeast':
      return low >= change ? 'confirmed' : high < change ? 'notConfirmed' : 'cannotTell';
    case 'atMost':
      return high <= change ? 'confirmed' : low > change ? 'notConfirmed' : 'cannotTell';
    case 'unchanged':
      if (verdict === 'equivalent') return 'confirmed';
      return verdict === 'noDifferenceShown' ? 'cannotTell' : 'notConfirmed';
    default:
      return assertNever(relation);
  }
}

const EXPECTATION = /^(\S+?)\s*(?:(<=|>=|≤|≥)\s*(\S+)|\s(unchanged))$/;

/** Expectations with commas between them; `null` where one cannot be read. */
export function parseExpectations(text: string): ExpectedChange[] | null {
  const parts = text.split(',').map((part) => parseExpectation(part.trim()));
  return parts.every((part) => part !== null) ? parts : null;
}

function parseExpectation(text: string): ExpectedChange | null {
  const [, name = '', sign, size = '', unchanged] = EXPECTATION.exec(text) ?? [];
  if (metricNamed(name) === null) return null;
  if (unchanged !== undefined) return { metric: name, relation: 'unchanged', change: 0 };
  const change = parseSignedShare(size);
  if (change === null) return null;
  return { metric: name, relation: sign === '<=' || sign === '≤' ? 'atMost' : 'atLeast', change };
}

/** The inverse of {@link parseExpectations}. */
export function expectationsText(expected: readonly ExpectedChange[]): string {
  return expected.map(expectationText).join(', ');
}

/** `p50(tpot) <= -5%`. */
export function expectationText({ metric, relation, change }: ExpectedChange): string {
  if (relation === 'unchanged') return `${metric} unchanged`;
  const percent = Number((change * 100).toPrecision(12));
  const size = `${percent < 0 ? '' : '+'}${percent}%`;
  return `${metric} ${relation === 'atMost' ? '<=' : '>='} ${size}`;
}
