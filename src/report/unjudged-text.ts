/** Why requests are unjudged, in words, and what to do about it. */
import { countFigure } from './figures.ts';

/** Reasons are `part:word`, as the judge gives them. */
type Reasons = Readonly<Record<string, number>>;

interface Explanation {
  /** Ends the sentence `12 requests: …`. */
  readonly why: string;
  readonly instead: string | null;
}

const BUFFERED = 'ask what buffers the stream, or judge e2e<=… instead';
const NO_USAGE = 'the server reports no token usage';

/** By the whole reason where the part matters, else by its word alone. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  'tpot:tokensUnknown': {
    why: `TPOT unknown, ${NO_USAGE}`,
    instead: 'judge the pace with gap<=… instead',
  },
  'outputTokens:tokensUnknown': { why: `length unknown, ${NO_USAGE}`, instead: null },
  kindsNotSeparable: {
    why: 'TPOT unknown, the usage mixes kinds of output that count with others',
    instead: 'name all of them with counts=…, or judge gap<=… instead',
  },
  tokensInconsistent: {
    why: 'TPOT unknown, the reported token counts contradict the events',
    instead: 'judge the pace with gap<=… instead',
  },
  singleEvent: { why: 'no pace seen, several tokens came in one event', instead: BUFFERED },
  singleRead: { why: 'no pace seen, the whole answer came at once', instead: BUFFERED },
  notStreamed: {
    why: 'the answer was not streamed, only its end was seen',
    instead: 'ask for a stream, or judge e2e<=… instead',
  },
  noCountedOutput: {
    why: 'the answer held no output of a kind that counts',
    instead: 'name the kinds that count with counts=…',
  },
  estimatedOnly: {
    why: 'nothing shows that one event is one token',
    instead: 'tpot<=… accepts the estimate',
  },
  cancelled: {
    why: 'the run stopped them before any limit had passed',
    instead: 'let answers end with a longer drain',
  },
  timedOut: { why: 'timed out before any limit had passed', instead: null },
};

/**
 * `240: TPOT unknown, the server reports no token usage → judge the pace with gap<=… instead`;
 * `null` when every request was judged.
 */
export function unjudgedText(reasons: Reasons): string | null {
  const parts = Object.entries(reasons).map(([reason, count]) => {
    const word = reason.slice(reason.indexOf(':') + 1);
    const { why, instead } = EXPLANATIONS[reason] ??
      EXPLANATIONS[word] ?? { why: reason, instead: null };
    return `${countFigure(count)}: ${why}${instead === null ? '' : ` → ${instead}`}`;
  });
  return parts.length === 0 ? null : parts.join(' · ');
}

/** The reasons of several load points together, most frequent first. */
export function summedReasons(all: readonly Reasons[]): Reasons {
  const sums = new Map<string, number>();
  for (const reasons of all) {
    for (const [reason, count] of Object.entries(reasons)) {
      sums.set(reason, (sums.get(reason) ?? 0) + count);
    }
  }
  return Object.fromEntries([...sums].toSorted(([, a], [, b]) => b - a));
}
