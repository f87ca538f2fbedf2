/** What only some loads have to say: tries, a provider's limits, drafts, answers behind reasoning. */
import type { PointSummary, QuantileSummary } from '../summary/index.ts';
import { sureShareFigure } from './certainty.ts';
import { countFigure, levelFigure, rateFigure, shareFigure } from './figures.ts';

/**
 * `1.31 a request, 312 for 238 · by try 190 of 312 good, 60.9 % · 41 tried again, 36 of them answered ·
 * 12.4/s sent`; `null` when nothing could be tried again.
 */
export function triesText({ tries }: PointSummary): string | null {
  if (tries === null) return null;
  const { good, offered, share } = tries.attainment;
  const byTry =
    share === null
      ? 'by try nothing was offered'
      : `by try ${countFigure(good)} of ${countFigure(offered)} good, ${sureShareFigure(tries.attainment)}`;
  return [
    `${levelFigure(tries.amplification)} a request, ${countFigure(tries.sent)} for ${countFigure(tries.requests)}`,
    byTry,
    `${countFigure(tries.retried)} tried again, ${countFigure(tries.recovered)} of them answered`,
    `${rateFigure(tries.sentRps)} sent`,
  ].join(' · ');
}

const UNITS = {
  requests: 'requests',
  tokens: 'tokens',
  inputTokens: 'input tokens',
  outputTokens: 'output tokens',
} as const;
const PERIODS = { minute: '/min', day: '/day' } as const;

/** `500 requests/min, least left 12 · 200,000 tokens/min, least left 4,310`; `null` when none was told. */
export function limitsText({ limits }: PointSummary): string | null {
  if (limits.length === 0) return null;
  return limits
    .map(({ of, per, limit, leastRemaining }) => {
      const unit = `${UNITS[of]}${per === null ? '' : PERIODS[per]}`;
      const said = limit === null ? unit : `${countFigure(limit)} ${unit}`;
      return leastRemaining === null ? said : `${said}, least left ${countFigure(leastRemaining)}`;
    })
    .join(' · ');
}

/** `71.2 % of 4,310 draft tokens accepted, told by 40 answers`; `null` when no answer told. */
export function draftText({ draft }: PointSummary): string | null {
  if (draft === null) return null;
  const { acceptedShare, proposedTokens, toldCount } = draft;
  return `${shareFigure(acceptedShare)} of ${countFigure(proposedTokens)} draft tokens accepted, told by ${countFigure(toldCount)} answers`;
}

/** `34.0 % (told by 30 of 40 completed)`; `null` when no answer told. */
export function cachedText(point: PointSummary): string | null {
  const { cachedTokenShare, cachedTokenToldCount, ledger } = point;
  if (cachedTokenShare === null) return null;
  return `${shareFigure(cachedTokenShare)} (told by ${countFigure(cachedTokenToldCount)} of ${countFigure(ledger.completed)} completed)`;
}

/** Rows of a latency table for the first answer, where it is not the first output. */
export function firstAnswerRows(
  point: PointSummary,
  from: 'planned' | 'both',
): (readonly [string, QuantileSummary])[] {
  if (!answersLater(point)) return [];
  const planned = ['first answer from planned', point.firstAnswerFromPlannedNs] as const;
  const dispatch = ['first answer from dispatch', point.firstAnswerFromDispatchNs] as const;
  return from === 'planned' ? [planned] : [planned, dispatch];
}

function answersLater({ firstAnswerFromPlannedNs: answer, ttftFromPlannedNs: ttft }: PointSummary) {
  return answer.n > 0 && (answer.n !== ttft.n || answer.mean !== ttft.mean);
}
