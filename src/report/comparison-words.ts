/** The sentences about a comparison that terminal, Markdown and JUnit share. */
import { assertNever, canonicalJson, type JsonValue, printable } from '../base/index.ts';
import {
  type Answer,
  type ChangeVerdict,
  type Comparison,
  expectationText,
  type FactDifference,
  type MetricComparison,
} from '../comparison/index.ts';
import {
  durationFigure,
  levelFigure,
  NOT_OBSERVED,
  rateFigure,
  shareFigure,
  signedFigure,
} from './figures.ts';

/** `WORSE`, `BETTER`, `EQUIVALENT`, … of the whole. */
export function comparisonWord({ verdict, isNoiseFloor }: Comparison): string {
  if (isNoiseFloor) return 'A/A';
  return verdict === 'notComparable' ? 'NOT COMPARABLE' : verdictText(verdict).toUpperCase();
}

export function verdictText(verdict: ChangeVerdict): string {
  switch (verdict) {
    case 'worse':
    case 'better':
    case 'changed':
    case 'equivalent':
      return verdict;
    case 'noDifferenceShown':
      return 'no difference shown';
    case 'notEnoughData':
      return 'not enough data';
    default:
      return assertNever(verdict);
  }
}

/** What it comes to, in one sentence. */
export function headline(comparison: Comparison): string {
  const { verdict, metrics, attribution, isNoiseFloor } = comparison;
  if (isNoiseFloor) return noiseHeadline(comparison);
  const named = (wanted: ChangeVerdict): string =>
    metrics
      .filter((metric) => metric.group === 'service' && metric.verdict === wanted)
      .map((metric) => `${metric.metric} ${changeText(metric)}`)
      .join(', ');
  switch (verdict) {
    case 'worse': {
      const better = named('better');
      return `B is worse than A: ${named('worse')}${better === '' ? '' : `; better: ${better}`}`;
    }
    case 'better':
      return `B is better than A: ${named('better')}; nothing is worse`;
    case 'equivalent':
      return 'every metric is within its minimum effect, with its whole interval';
    case 'noDifferenceShown':
      return `no difference that matters is shown, which is no proof that there is none; ${undecided(comparison)}`;
    case 'notEnoughData':
      return 'too few units may be compared to state any interval';
    case 'notComparable':
      return `the sides were not asked the same, so no difference is the service's: ${attribution.differing
        .map(({ fact }) => fact)
        .join(', ')} differ`;
    default:
      return assertNever(verdict);
  }
}

function noiseHeadline({ biasedMetrics, metrics }: Comparison): string {
  if (metrics.every(({ interval }) => interval === null)) return 'too few pairs for a noise floor';
  return biasedMetrics.length === 0
    ? 'equal sides differ by no more than chance; this is the floor for comparisons that ask the same'
    : `equal sides differ by more than chance in ${biasedMetrics.join(', ')}: the method favours one`;
}

function undecided({ metrics }: Comparison): string {
  const open = metrics.filter(
    ({ group, verdict }) => group === 'service' && verdict === 'noDifferenceShown',
  );
  return `undecided: ${open.map(({ metric }) => metric).join(', ')}`;
}

/** `interleaved A B B A, 12 pairs of windows with the same arrivals and lengths`. */
export function designText(comparison: Comparison): string {
  const { design, unitsMeasured, excluded, unit } = comparison;
  const left = excluded.length === 0 ? '' : `, ${excluded.length} left out`;
  switch (design) {
    case 'interleaved':
      return `windows in turn, A B B A: ${unitsMeasured} pairs${left}, the same arrivals and lengths in a pair`;
    case 'restarts':
      return `windows in turn, A B B A, restarted between sides: ${unitsMeasured} pairs${left}; the ${unit} of two pairs is the unit`;
    case 'storedRuns':
      if (unit === 'run') return 'two capacity searches, one after the other';
      return `two stored runs, not interleaved, in ${unitsMeasured} slices${left}`;
    case 'baseline':
      return `one run against the spread of ${unitsMeasured} earlier ones`;
    default:
      return assertNever(design);
  }
}

/** The value of a metric on one side. */
export function metricValue({ metric, scale }: MetricComparison, value: number | null): string {
  if (scale === 'points') return shareFigure(value);
  if (metric.includes('(')) return durationFigure(value);
  return metric === 'outputTokens' ? levelFigure(value) : rateFigure(value);
}

/** `+3.1 %`, `−0.8 pt`. */
export function changeText({ change, scale }: MetricComparison): string {
  return change === null ? NOT_OBSERVED : `${signedFigure(change * 100)} ${unitOf(scale)}`;
}

/** `+2.4 … +3.8 %`. */
export function intervalText({ interval, scale }: MetricComparison): string {
  if (interval === null) return NOT_OBSERVED;
  return `${signedFigure(interval.low * 100)} … ${signedFigure(interval.high * 100)} ${unitOf(scale)}`;
}

/** `p95(ttft) +31.2 % (+30.1 … +32.3 %)`. */
export function changeWords(metric: MetricComparison): string {
  const interval = metric.interval === null ? '' : ` (${intervalText(metric)})`;
  return `${metric.metric} ${changeText(metric)}${interval}`;
}

/** A size without a sign; `–` where it is not known. */
export function sizeText(size: number | null, { scale }: MetricComparison): string {
  return size === null ? NOT_OBSERVED : `${levelFigure(size * 100)} ${unitOf(scale)}`;
}

function unitOf(scale: MetricComparison['scale']): string {
  return scale === 'points' ? 'pt' : '%';
}

/** Whether the answers themselves are the same; `null` where they were not looked at. */
export function qualityText({ quality, metrics }: Comparison): string | null {
  if (!metrics.some(({ group }) => group === 'quality')) return null;
  const moved = metrics.filter(
    ({ group, verdict }) => group === 'quality' && ['worse', 'changed', 'better'].includes(verdict),
  );
  if (moved.length > 0) {
    const list = moved.map((metric) => `${metric.metric} ${changeText(metric)}`).join(', ');
    return `the answers are not alike: ${list}; latencies of other answers are other latencies`;
  }
  switch (quality) {
    case 'equivalent':
      return 'correctness, finish reasons and output lengths are alike';
    case 'notEnoughData':
      return 'too little to tell whether the answers are alike';
    default:
      return 'no difference shown in correctness, finish reasons or output lengths';
  }
}

/** What is known of noise, and what it leaves to find. */
export function floorText({ floorFrom, biasedMetrics, design }: Comparison): string | null {
  if (design === 'storedRuns' || design === 'baseline') return null;
  if (floorFrom === null) {
    return 'no A/A floor was measured, so what this bench makes of two equal sides is not known: --a-a';
  }
  const from = floorFrom === 'cached' ? 'as stored' : 'measured now';
  return biasedMetrics.length === 0
    ? `A/A floor ${from}; a difference counts beyond it`
    : `A/A floor ${from}; equal sides differed in ${biasedMetrics.join(', ')}: do not trust these`;
}

const FACT_LIMIT = 60;

/** `model: "a" and "b"`. */
export function factText({ fact, a, b }: FactDifference): string {
  const short = (value: JsonValue): string =>
    value === null ? 'unknown' : printable(canonicalJson(value), FACT_LIMIT);
  return `${fact}: ${short(a)} and ${short(b)}`;
}

/** What differs between the systems, as far as the manifests tell. */
export function systemText({ attribution, isNoiseFloor }: Comparison): string | null {
  if (isNoiseFloor) return null;
  const { systemChanges } = attribution;
  return systemChanges.length === 0
    ? 'the manifests tell of no difference between the systems: declare what changed'
    : systemChanges.map(factText).join('; ');
}

export function answerText(answer: Answer): string {
  switch (answer) {
    case 'confirmed':
      return 'confirmed';
    case 'notConfirmed':
      return 'not confirmed';
    case 'cannotTell':
      return "can't tell";
    default:
      return assertNever(answer);
  }
}

/** `CONFIRMED: speculative decoding (decode steps): p50(tpot) <= -5%: confirmed`. */
export function hypothesisText({ hypothesis }: Comparison): string | null {
  if (hypothesis === null) return null;
  const { change, bottleneck, expected, answers, answer } = hypothesis;
  const at = bottleneck === null ? '' : `, against ${bottleneck}`;
  const each = expected.map(
    (expectation, index) =>
      `${expectationText(expectation)} ${answerText(answers[index] ?? 'cannotTell')}`,
  );
  return `${answerText(answer)}: ${change}${at}; ${each.join(', ')}`;
}
