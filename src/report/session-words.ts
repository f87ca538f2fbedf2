/** Sessions in words and rows, for every report. */
import type { PointSummary, SessionsSummary } from '../summary/index.ts';
import { sureShareFigure } from './certainty.ts';
import { countFigure, levelFigure, rateFigure, shareFigure, shareRange } from './figures.ts';
import { quantileFigure } from './words.ts';

/** `256 of 257 good, 99.6 % (95–100)`, what independent turns would give, and what was cut. */
export function sessionsText(sessions: SessionsSummary): string {
  const { attainment, shareIfIndependent, cut, cutBounds, endedEarly } = sessions;
  const { good, offered, unjudged } = attainment;
  const parts = [
    `${countFigure(good)} of ${countFigure(offered)} with every turn good, ${sureShareFigure(attainment)}`,
  ];
  if (unjudged > 0) parts.push(`${countFigure(unjudged)} unjudged`);
  if (endedEarly > 0) parts.push(`${countFigure(endedEarly)} ended by a failed turn`);
  if (cut > 0 && cutBounds !== null) {
    const range = shareRange(cutBounds.low, cutBounds.high);
    parts.push(`${countFigure(cut)} cut by the end: ${range} with them`);
  }
  if (shareIfIndependent !== null) {
    parts.push(`${shareFigure(shareIfIndependent)} if turns were independent`);
  }
  return parts.join(' · ');
}

/** How many turns, how often, how long. */
export function sessionPaceText(sessions: SessionsSummary): string {
  const { turnsMean, turnsMost, begunPerSecond, turnsPerSecond, durationNs } = sessions;
  return [
    `${levelFigure(turnsMean)} turns planned in the mean, at most ${countFigure(turnsMost)}`,
    `${rateFigure(begunPerSecond)} begun, ${rateFigure(turnsPerSecond)} turns`,
    `lasted ${quantileFigure(durationNs, 0.5)} p50, ${quantileFigure(durationNs, 0.95)} p95 (n ${countFigure(durationNs.n)})`,
  ].join(' · ');
}

/** The first turn against the later ones, in one line; `null` when no session has a second. */
export function turnsText({ turns }: SessionsSummary): string | null {
  const first = turns.find(({ name }) => name === 'first');
  const later = turns.find(({ name }) => name === 'later');
  if (first === undefined || later === undefined) return null;
  const [firstP50, laterP50] = [first, later].map(({ ttftFromPlannedNs }) =>
    quantileFigure(ttftFromPlannedNs, 0.5),
  );
  const parts = [
    `TTFT p50 ${firstP50} first, ${laterP50} later`,
    `good ${shareFigure(first.attainment.share)}, ${shareFigure(later.attainment.share)}`,
  ];
  if (first.cachedTokenShare !== null || later.cachedTokenShare !== null) {
    const [of, to] = [shareFigure(first.cachedTokenShare), shareFigure(later.cachedTokenShare)];
    parts.push(`cached ${of}, ${to}`);
  }
  return parts.join(' · ');
}

export const TURN_COLUMNS = [
  'turn',
  'due',
  'completed',
  'attained',
  'n TTFT',
  'TTFT p50',
  'TTFT p95',
  'TPOT p95',
  'done p95',
  'prompt mean',
  'cached',
] as const;

export function turnRows({ turns }: SessionsSummary): string[][] {
  return turns.map((turn) => [
    turn.name,
    countFigure(turn.ledger.scheduled),
    countFigure(turn.ledger.completed),
    sureShareFigure(turn.attainment),
    countFigure(turn.ttftFromPlannedNs.n),
    quantileFigure(turn.ttftFromPlannedNs, 0.5),
    quantileFigure(turn.ttftFromPlannedNs, 0.95),
    quantileFigure(turn.tpotNs, 0.95),
    quantileFigure(turn.completionNs, 0.95),
    turn.promptTokensMean === null ? '–' : countFigure(Math.round(turn.promptTokensMean)),
    shareFigure(turn.cachedTokenShare),
  ]);
}

/** How the interval of the share came about. */
export function sessionBasisText({ sessions }: PointSummary): string | null {
  if (sessions === null) return null;
  const { dependence } = sessions.attainment;
  const basis = 'a session is one observation, in the batch of its start';
  if (dependence === null) return basis;
  return `${basis}; worth ${countFigure(Math.round(dependence.effectiveN))} independent sessions`;
}
