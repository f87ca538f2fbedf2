/**
 * One part of an objective, and the term that writes it: `{ kind: 'e2e', limitNs }` ⇄ `e2e<=30s`.
 * An expression is a list of parts; `objective-term.ts` reads them, this file writes them.
 */
import { assertNever, durationText, tokenCountText } from '../base/index.ts';
import type { FinishReason, OutputKind } from '../record/index.ts';
import { bucketLabel, type LengthBucket } from './length-bucket.ts';
import type { LatencyMeasure, LatencyStart, Objective } from './objective.ts';

/** Everything an expression can say, one term each. */
export type ObjectivePart =
  | { readonly kind: 'ttft'; readonly bucket: LengthBucket | null; readonly limitNs: number }
  | { readonly kind: 'firstAnswer'; readonly limitNs: number }
  | { readonly kind: 'tpot'; readonly basis: 'any' | 'observed'; readonly limitNs: number }
  | { readonly kind: 'gapMax'; readonly limitNs: number }
  | { readonly kind: 'gapQuantile'; readonly q: number; readonly limitNs: number }
  | { readonly kind: 'e2e'; readonly limitNs: number }
  | { readonly kind: 'output'; readonly tokens: number }
  | { readonly kind: 'finish'; readonly reasons: readonly FinishReason[] }
  | { readonly kind: 'needs'; readonly kinds: readonly OutputKind[] }
  | { readonly kind: 'counts'; readonly kinds: readonly OutputKind[] }
  | { readonly kind: 'from'; readonly start: LatencyStart }
  | { readonly kind: 'terminal'; readonly strict: boolean }
  | { readonly kind: 'attainment'; readonly share: number }
  | { readonly kind: 'success'; readonly share: number }
  | { readonly kind: 'worst'; readonly by: 'tenant' | 'class'; readonly share: number }
  | {
      readonly kind: 'quantile';
      readonly measure: LatencyMeasure;
      readonly q: number;
      readonly limitNs: number;
    }
  | { readonly kind: 'period'; readonly periodNs: number }
  | { readonly kind: 'perspective'; readonly perspective: Objective['perspective'] }
  | { readonly kind: 'timedOut'; readonly timedOut: Objective['timedOut'] };

/** What a part sets, as written before its operator. Two parts of one subject contradict. */
export function partSubject(part: ObjectivePart): string {
  switch (part.kind) {
    case 'ttft':
      return part.bucket === null ? 'ttft' : `ttft[${bucketLabel(part.bucket)}]`;
    case 'tpot':
      return part.basis === 'observed' ? 'tpotObserved' : 'tpot';
    case 'gapMax':
      return 'gap';
    case 'gapQuantile':
      return `gap[${percentileName(part.q)}]`;
    case 'worst':
      return `worst(${part.by})`;
    case 'quantile':
      return `${quantileName(part.q)}(${part.measure})`;
    default:
      return part.kind;
  }
}

/** The canonical term of a part: `ttft[4k-16k]<=2s`. */
export function partText(part: ObjectivePart): string {
  const subject = partSubject(part);
  switch (part.kind) {
    case 'ttft':
    case 'firstAnswer':
    case 'tpot':
    case 'gapMax':
    case 'gapQuantile':
    case 'e2e':
    case 'quantile':
      return `${subject}<=${durationText(part.limitNs)}`;
    case 'output':
      return `${subject}<=${tokenCountText(part.tokens)}`;
    case 'attainment':
    case 'success':
    case 'worst':
      return `${subject}>=${shareText(part.share)}`;
    case 'finish':
      return `${subject}=${part.reasons.join('|')}`;
    case 'needs':
    case 'counts':
      return `${subject}=${part.kinds.join('|')}`;
    case 'from':
      return `${subject}=${part.start}`;
    case 'terminal':
      return `${subject}=${part.strict ? 'strict' : 'either'}`;
    case 'period':
      return `${subject}=${durationText(part.periodNs)}`;
    case 'perspective':
      return `${subject}=${part.perspective}`;
    case 'timedOut':
      return `${subject}=${part.timedOut}`;
    default:
      return assertNever(part);
  }
}

/** 0.5 → `median`, 0.99 → `p99`: the name a quantile has in expressions and on labels. */
export function quantileName(q: number): string {
  return q === 0.5 ? 'median' : percentileName(q);
}

/** 0.999 → `p99.9`. */
function percentileName(q: number): string {
  return `p${percentNumber(q)}`;
}

/** 0.995 → `99.5%`: the percentage that reads back as the same share. */
export function shareText(share: number): string {
  return `${percentNumber(share)}%`;
}

/** Moving the decimal point in the text keeps 0.29 at 29; multiplying by 100 would not. */
function percentNumber(share: number): string {
  return String(Number(`${share}e2`));
}

/** Reads `p99`, `p99.9` or `median` as q in (0, 1]: the inverse of {@link quantileName}. */
export function parseQuantileName(name: string): number | null {
  if (name === 'median') return 0.5;
  const percent = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  const q = percent === undefined ? 0 : Number(`${percent}e-2`);
  return q > 0 && q <= 1 ? q : null;
}
