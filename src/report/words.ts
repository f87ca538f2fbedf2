/** The sentences that terminal and Markdown share, so that both say the same. */
import { assertNever } from '../base/index.ts';
import { quantileName } from '../slo/index.ts';
import {
  quantileOf,
  type PointLoad,
  type PointSummary,
  type PopulationResult,
  type QuantileSummary,
  type Summary,
  type Window,
} from '../summary/index.ts';
import {
  markedFigure,
  provenStateText,
  sureFigure,
  sureShareFigure,
  warmUpBasisText,
} from './certainty.ts';
import {
  countFigure,
  durationFigure,
  levelFigure,
  NOT_OBSERVED,
  rateFigure,
  shareFigure,
  shareRange,
  tokenRateFigure,
} from './figures.ts';

/** `MET`, `MISSED`, `NOT ENOUGH DATA`, `NO TARGET`; before all of them, `INVALID`. */
export function verdictWord(of: Pick<Summary, 'verdict' | 'validity'>): string {
  if (!of.validity.valid) return 'INVALID';
  switch (of.verdict) {
    case 'met':
      return 'MET';
    case 'missed':
      return 'MISSED';
    case 'notEnoughData':
      return 'NOT ENOUGH DATA';
    case null:
      return 'NO TARGET';
    default:
      return assertNever(of.verdict);
  }
}

/** What one target came to: `attainment >= 95%: 97.6 %, met`, with what proof would take. */
export function targetText(result: PopulationResult): string {
  const seen = result.target.includes('<=')
    ? durationFigure(result.observed)
    : shareFigure(result.observed);
  return `${result.target}: ${seen}, ${provenStateText(result)}`;
}

export function stateWord(state: PopulationResult['state']): string {
  return state === 'notEnoughData' ? 'not enough data' : state;
}

/** `1,440 of 2,400 offered, 60.0 % (53.7–66.0)`: the 95 % interval, or `~` where there is none. */
export function attainmentText(point: PointSummary): string {
  const { good, offered, unjudged, share, unknownBounds } = point.attainment;
  if (share === null) return 'nothing was offered';
  const parts = [
    `${countFigure(good)} of ${countFigure(offered)} offered, ${sureShareFigure(point.attainment)}`,
  ];
  if (unjudged > 0 && unknownBounds !== null) {
    const range = shareRange(unknownBounds.low, unknownBounds.high);
    parts.push(`· ${countFigure(unjudged)} unjudged, so ${range} is possible`);
  }
  if (point.ledger.dropped > 0) {
    parts.push(`· ${sureShareFigure(point.attainmentAdmitted)} of those sent`);
  }
  return parts.join(' ');
}

/** `goodput 2.34/s (2.20–2.48) · output … · completed … · offered 4.00/s (3.97/s realised)`. */
export function ratesText(point: PointSummary): string {
  const { rates } = point;
  const { intervals } = rates;
  const untold =
    rates.unknownUsageCount === 0 ? '' : ` (${countFigure(rates.unknownUsageCount)} without usage)`;
  return [
    `goodput ${sureFigure(rates.goodRps, intervals.goodRps, rateFigure)}`,
    `output ${sureFigure(rates.outputTokensPerSecond, intervals.outputTokensPerSecond, tokenRateFigure)}${untold}`,
    `completed ${sureFigure(rates.completedRps, intervals.completedRps, rateFigure)}`,
    offeredText(point),
  ].join(' · ');
}

/** What was asked and what was realised while load was offered: a drain would dilute the latter. */
function offeredText({ rates, otherWindows }: PointSummary): string {
  const offering = otherWindows.find((other) => other.window.kind === 'cohort') ?? rates;
  const realised = rateFigure(offering.realisedOfferedRps);
  return rates.offeredRps === null
    ? `arrivals ${realised}`
    : `offered ${rateFigure(rates.offeredRps)} (${realised} realised)`;
}

/**
 * `240 scheduled = 236 completed + 2 failed (httpStatus 2) + 2 dropped (ceiling 2); none refused,
 * cancelled or timed out`: the identity, with the empty columns named and not added.
 */
export function ledgerText(point: PointSummary): string {
  const { ledger } = point;
  const columns: readonly (readonly [string, number, string])[] = [
    ['completed', ledger.completed, ''],
    ['failed', ledger.failed, causesText(point.failureClasses)],
    ['timed out', ledger.timedOut, ''],
    ['cancelled', ledger.cancelled, ''],
    ['refused', ledger.refused, ''],
    ['dropped', ledger.dropped, causesText(point.dropReasons)],
  ];
  const filled = columns
    .filter(([, count]) => count > 0)
    .map(([name, count, causes]) => `${countFigure(count)} ${name}${causes}`);
  const empty = columns.filter(([, count]) => count === 0).map(([name]) => name);
  const sum = filled.length === 0 ? '0' : filled.join(' + ');
  const none = empty.length === 0 ? '' : `; none ${listed(empty)}`;
  const outside = ledger.notReached > 0 ? `; ${countFigure(ledger.notReached)} not reached` : '';
  const warmUp = point.rates.window.kind === 'steady' ? ', warm-up included' : '';
  return `${countFigure(ledger.scheduled)} scheduled${warmUp} = ${sum}${none}${outside}`;
}

/** ` (httpStatus 2, connect 1)`; empty when there is none. */
function causesText(counts: Readonly<Record<string, number>>): string {
  const causes = Object.entries(counts).map(([word, count]) => `${word} ${countFigure(count)}`);
  return causes.length === 0 ? '' : ` (${causes.join(', ')})`;
}

/** `a, b or c`. */
function listed(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} or ${words.at(-1) as string}`;
}

/** `ttft 80 (62 missed only this) · tpot 40 (20 missed only this) · 4 dropped`. */
export function missesText(point: PointSummary): string {
  // A failed request has unknown latencies as well, but it is bad already; only the unknowns of
  // unjudged requests leave something open.
  const open = point.attainment.unjudged > 0;
  const misses = point.misses
    .filter((miss) => miss.missed > 0 || (open && miss.unknown > 0))
    .map((miss) => {
      const alone = miss.missed > 0 ? ` (${countFigure(miss.soleMiss)} missed only this)` : '';
      const why = miss.objective === 'correctness' ? faultsText(miss.reasons) : '';
      const unknown = open && miss.unknown > 0 ? `, ${countFigure(miss.unknown)} unknown` : '';
      return `${PART_NAMES[miss.objective]} ${countFigure(miss.missed)}${why}${alone}${unknown}`;
    });
  const { dropped } = point.ledger;
  if (dropped > 0) misses.push(`${countFigure(dropped)} dropped`);
  if (misses.length === 0) misses.push('nothing');
  const inapplicable = point.misses
    .filter((miss) => miss.notApplicable > 0)
    .map(
      (miss) =>
        `${PART_NAMES[miss.objective]} not applicable to ${countFigure(miss.notApplicable)}`,
    );
  return [...misses, ...inapplicable].join(' · ');
}

/**
 * `: finish:length 2, noFinishReason 1`. A latency's only fault is its limit, and that a request
 * failed or timed out stands in the ledger.
 */
function faultsText(reasons: Readonly<Record<string, number>>): string {
  const faults = Object.entries(reasons)
    .filter(([word]) => !['failed', 'timedOut', 'cancelled', 'refused'].includes(word))
    .toSorted(([, a], [, b]) => b - a)
    .map(([word, count]) => `${word} ${countFigure(count)}`);
  return faults.length === 0 ? '' : `: ${faults.join(', ')}`;
}

/** The parts of an objective as an expression writes them. */
const PART_NAMES: Readonly<Record<PointSummary['misses'][number]['objective'], string>> = {
  ttft: 'ttft',
  firstAnswer: 'first answer',
  tpot: 'tpot',
  gapMax: 'gap',
  gapQuantile: 'gap quantile',
  e2e: 'e2e',
  outputTokens: 'output',
  correctness: 'correctness',
};

/** `41 of 47 good, 87.2 % · TTFT p50 86.0 ms, p95 ~119 ms · not in the figures above`. */
export function warmUpText(point: PointSummary): string | null {
  const warmUp = point.phases.find((phase) => phase.name === 'warmup');
  if (warmUp === undefined) return null;
  const { good, offered, share } = warmUp.attainment;
  const [p50, p95] = [0.5, 0.95].map((q) => quantileFigure(warmUp.ttftFromPlannedNs, q));
  const basis = warmUpBasisText(point);
  return [
    ...(basis === null ? [] : [basis]),
    `${countFigure(good)} of ${countFigure(offered)} good, ${shareFigure(share)}`,
    `TTFT p50 ${p50}, p95 ${p95}`,
    'not in the figures above',
  ].join(' · ');
}

/** `ttft p95 passes, tpot p95 passes; jointly 90.0 % are good`; `null` when not asked. */
export function marginalsText(point: PointSummary): string | null {
  if (point.marginals.length === 0) return null;
  const alone = point.marginals
    .map(
      ({ objective, q, metShare, passes, interval }) =>
        `${objective} ${quantileName(q)} ${passes ? 'passes' : 'fails'} (${markedFigure(metShare, interval, shareFigure)} within)`,
    )
    .join(', ');
  return `${alone}; jointly ${markedFigure(point.attainment.share, point.attainment.interval, shareFigure)} good`;
}

/** `wall (first planned to last done), 62.3 s`. */
export function windowText(window: Window, warmUp: PointSummary['warmUp']): string {
  return `${windowName(window, warmUp)}, ${durationFigure(window.toNs - window.fromNs)}`;
}

/** `wall (first planned to last done)`: which window, and what that means. */
export function windowName(window: Window, warmUp: PointSummary['warmUp']): string {
  switch (window.kind) {
    case 'wall':
      return 'wall (first planned to last done)';
    case 'steady':
      return warmUp.basis === 'detected'
        ? 'steady (warm-up found and left out)'
        : 'steady (declared warm-up left out)';
    case 'cohort':
      return 'cohort (requests that arrived in it)';
    default:
      return assertNever(window.kind);
  }
}

/** `chunk gap`, `chunk gap (12.3 % zero)`: zero gaps are events that came in one socket read. */
export function gapName({ zeroGapShare }: PointSummary): string {
  const isTold = zeroGapShare !== null && zeroGapShare > 0;
  return isTold ? `chunk gap (${shareFigure(zeroGapShare)} zero)` : 'chunk gap';
}

/** `TPOT (estimated)`, `TPOT (observed)`, `TPOT (25.0 % observed)`. */
export function tpotName(point: PointSummary): string {
  const { observed, estimated } = point.tpotBasis;
  if (observed === 0) return estimated === 0 ? 'TPOT' : 'TPOT (estimated)';
  if (estimated === 0) return 'TPOT (observed)';
  return `TPOT (${shareFigure(observed / (observed + estimated))} observed)`;
}

/** One quantile, `~` before it where there is no interval and so no claim. */
export function quantileFigure(
  summary: QuantileSummary,
  q: number,
  figure: (value: number) => string = durationFigure,
): string {
  const entry = quantileOf(summary, q);
  if (entry === null) return NOT_OBSERVED;
  return `${entry.claimable ? '' : '~'}${figure(entry.value)}`;
}

/** `4/s`, `8 streams`, `20 users`, `×10`: the load of one point in a table. */
export function levelText(load: PointLoad): string {
  switch (load.kind) {
    case 'rate':
      return `${load.level}/s`;
    case 'concurrency':
      return load.level === 1 ? '1 stream' : `${load.level} streams`;
    case 'users':
      return load.level === 1 ? '1 user' : `${load.level} users`;
    case 'sessions':
      return `${load.level} sessions/s`;
    case 'trace':
      return `×${load.level}`;
    default:
      return assertNever(load.kind);
  }
}

/** `in flight 12.3 mean, 20 p99`. */
export function inFlightText(point: PointSummary): string {
  const p99 = point.inFlightP99 === null ? NOT_OBSERVED : countFigure(point.inFlightP99);
  return `in flight ${levelFigure(point.inFlightMean)} mean, ${p99} p99`;
}

/** `ran its full time`, `cut short: interrupted`: how the point ended. */
export function endText(point: PointSummary): string {
  const reasons: Readonly<Record<string, string>> = {
    duration: 'ran its full time',
    requests: 'ran all its requests',
    budget: 'budget spent',
    interrupted: 'interrupted',
  };
  const reason = reasons[point.stopReason] ?? point.stopReason;
  return point.partial ? `cut short: ${reason}` : reason;
}

/**
 * Labels a result never goes without: the prefix cache policy with what was really cached, whose
 * clock, where from.
 */
export function provenanceText(summary: Summary): string {
  const clock =
    summary.clock === 'server' ? "server clock (not the user's view)" : `${summary.clock} clock`;
  const shares = summary.points.map((point) => point.cachedTokenShare);
  const told = shares.filter((share) => share !== null);
  const [least, most] = [Math.min(...told), Math.max(...told)];
  const cached =
    told.length === 0
      ? ''
      : ` (${least === most ? shareFigure(most) : shareRange(least, most)} cached)`;
  const calibrated = calibrationText(summary.calibration);
  return `prefix cache ${summary.prefixCache}${cached} · ${clock} · ${summary.source}${calibrated}`;
}

/** How far the client's stamps may be trusted, where that was measured for it. */
function calibrationText(calibration: Summary['calibration']): string {
  if (calibration === null || !calibration.used) return '';
  const { stampAgeP99Ns, stampAgeMaxNs } = calibration;
  return ` · stamps up to ${durationFigure(stampAgeP99Ns)} late (calibrated p99; ${durationFigure(stampAgeMaxNs)} at most)`;
}
