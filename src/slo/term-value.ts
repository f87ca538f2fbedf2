/** Reads the values that stand in an objective's terms, and says how to mend the ones it cannot. */
import { nearestWord, parseDurationNs, parseShare, type ErrorCode } from '../base/index.ts';
import { parseBucket, type LengthBucket } from './length-bucket.ts';
import { parseQuantileName } from './objective-part.ts';

/** What is wrong with a term, and how to put it right. */
export interface TermFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

/** Takes a fault and gives `null`, so that a reader can end with `return report(…)`. */
export type Report = (fault: TermFault) => null;

/** A duration above zero, in nanoseconds. */
export function readDurationNs(text: string, report: Report): number | null {
  const ns = parseDurationNs(text);
  if (ns !== null && ns > 0) return ns;
  const isBare = /^\d+(\.\d+)?$/.test(text) && Number(text) > 0;
  return report(
    valueFault(
      text,
      'a duration above 0',
      isBare ? `${text}ms or ${text}s?` : 'write 500ms, 0.5s or 2m',
    ),
  );
}

/** `95%` or `0.95`: a share in [0, 1]. */
export function readShare(text: string, report: Report): number | null {
  const share = parseShare(text);
  if (share !== null) return share;
  const bare = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return report(
    valueFault(
      text,
      'a share between 0 and 1',
      bare > 1 && bare <= 100
        ? `write ${text}% or ${Number((bare / 100).toPrecision(12))}`
        : 'write 95% or 0.95',
    ),
  );
}

/** `4k-16k` or `64k+`. */
export function readBucket(text: string, report: Report): LengthBucket | null {
  const bucket = parseBucket(text);
  if (bucket !== null) return bucket;
  return report(
    valueFault(text, 'a range of prompt tokens', 'write [4k-16k], or [64k+] without an end'),
  );
}

/** `p99.9` or `median` → q in (0, 1]. */
export function readQuantile(name: string, report: Report): number | null {
  return (
    parseQuantileName(name) ??
    report(valueFault(name, 'a quantile above p0, up to p100', 'write p99, p99.9 or p50'))
  );
}

/** One word of a closed vocabulary. */
export function readWord<W extends string>(
  text: string,
  words: readonly W[],
  what: string,
  report: Report,
): W | null {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const nearest = nearestWord(text, words);
  const hint = nearest === null ? `write ${words.join(', ')}` : `did you mean ${nearest}?`;
  return report(valueFault(text, `${what} of ${words.join(', ')}`, hint));
}

/** A term that is built wrongly. */
export function syntaxFault(message: string, hint: string | null): TermFault {
  return { code: 'E_OBJECTIVE_SYNTAX', message, hint };
}

/** A value that cannot be read, in a term that is built well. */
export function valueFault(text: string, wanted: string, hint: string | null): TermFault {
  const message = text === '' ? `${wanted} is missing` : `"${text}" is not ${wanted}`;
  return { code: 'E_OBJECTIVE_VALUE', message, hint };
}
