/**
 * The one-line form of an objective, for `--slo` and for people:
 *
 *     ttft<=500ms, ttft[4k-16k]<=2s, tpot<=40ms, gap<=600ms, e2e<=30s, output<=1000,
 *     attainment>=95%, success>=99.5%, worst(tenant)>=90%, p99(ttft)<=500ms, median(tpot)<=40ms,
 *     finish=stop|length, counts=answer|reasoning, needs=answer, from=dispatch
 *
 * `gap` limits each request's longest gap and `gap[p99]` that quantile of its gaps; `p99(gap)` is a
 * target over all requests. A `ttft` without a range holds for the lengths that no range names.
 * Also: `firstAnswer<=5s`, `tpotObserved`, `terminal=strict`, `perspective=buyer`, `timedOut=censored`, `period=30d`.
 * Refusal rules, answer checks and the people in charge need the YAML form.
 */
import { printable, type Place, type Problem } from '../base/index.ts';
import { bucketLabel, partitionFaults } from './length-bucket.ts';
import type { BucketLimit, Objective } from './objective.ts';
import {
  DEFAULT_COUNTS,
  defaultFinish,
  defaultNeeds,
  plainObjective,
  requestWithoutLimits,
} from './objective-defaults.ts';
import { partSubject, partText, type ObjectivePart } from './objective-part.ts';
import { readTerm } from './objective-term.ts';
import { syntaxFault, type TermFault } from './term-value.ts';

/** An objective, or everything that keeps the text from being one. */
export type ParsedObjective =
  | { readonly objective: Objective }
  | { readonly problems: readonly Problem[] };

/** How to read an expression. */
export interface ExpressionOptions {
  /** Name of the objective. Default `inline`. */
  readonly name?: string;
  /** Where the text begins in a file; `null` (the default) for a command line. */
  readonly place?: Place | null;
}

interface PlacedTerm {
  readonly text: string;
  /** Characters before the term in the whole expression. */
  readonly offset: number;
}

interface PlacedPart extends PlacedTerm {
  readonly part: ObjectivePart;
}

type PartOf<K extends ObjectivePart['kind']> = Extract<ObjectivePart, { kind: K }>;

/** Reads an expression; see the head of this file for what it may say. */
export function parseObjective(text: string, options: ExpressionOptions = {}): ParsedObjective {
  const problems: Problem[] = [];
  const place = options.place ?? null;
  const onFault = (term: PlacedTerm, fault: TermFault): void => {
    problems.push(problemAt(term, fault, place));
  };
  const terms = splitTerms(text);
  const parts: PlacedPart[] = [];
  for (const term of terms) {
    const part = readTerm(term.text, (fault) => onFault(term, fault));
    if (part !== null) parts.push({ ...term, part });
  }
  if (terms.length === 0) {
    onFault(
      { text, offset: 0 },
      syntaxFault('the objective is empty', 'e.g. ttft<=500ms, tpot<=40ms'),
    );
  }
  checkRepeats(parts, onFault);
  // Ranges are checked only when every term was read: a mistyped one would look like a hole.
  const ttft = problems.length === 0 ? assembleTtft(parts, onFault) : null;
  if (problems.length > 0) return { problems };
  const read = parts.map(({ part }) => part);
  return { objective: assemble(read, ttft, options.name ?? 'inline') };
}

/** The canonical expression of an objective. Reading it back gives the same objective, its name,
 * refusal rules, answer checks and people in charge apart: an expression cannot say those. */
export function objectiveText(objective: Objective): string {
  const parts = objectiveParts(objective);
  // Correctness is always judged, so an objective of nothing else says what it demands.
  const said: readonly ObjectivePart[] =
    parts.length > 0 ? parts : [{ kind: 'needs', kinds: objective.request.correctness.needs }];
  return said.map((part) => partText(part)).join(', ');
}

/** Cuts at commas and line ends; empty terms (a trailing comma) are skipped. */
function splitTerms(text: string): PlacedTerm[] {
  return [...text.matchAll(/[^,\n]+/g)]
    .map((match) => ({
      text: match[0].trim(),
      offset: match.index + match[0].length - match[0].trimStart().length,
    }))
    .filter((term) => term.text !== '');
}

function problemAt(term: PlacedTerm, fault: TermFault, place: Place | null): Problem {
  const column = term.offset + (place?.column ?? 1);
  const where = place === null ? `, column ${column}` : '';
  return {
    code: fault.code,
    message: `objective term "${printable(term.text, 80)}"${where}: ${printable(fault.message)}`,
    hint: fault.hint === null ? null : printable(fault.hint, 400),
    place: place === null ? null : { ...place, column },
  };
}

function checkRepeats(
  parts: readonly PlacedPart[],
  onFault: (term: PlacedTerm, fault: TermFault) => void,
): void {
  const first = new Map<string, string>();
  for (const placed of parts) {
    // The two TPOT forms are one limit on different evidence.
    const subject = placed.part.kind === 'tpot' ? 'tpot' : partSubject(placed.part);
    const before = first.get(subject);
    if (before === undefined) first.set(subject, placed.text);
    else onFault(placed, syntaxFault(`"${before}" already says this`, 'keep one of the two'));
  }
}

/** TTFT limits for every prompt length; `null` when none is asked, or when they do not fit. */
function assembleTtft(
  parts: readonly PlacedPart[],
  onFault: (term: PlacedTerm, fault: TermFault) => void,
): BucketLimit[] | null {
  const ranges: (BucketLimit & { readonly term: PlacedTerm })[] = [];
  let rest: (PlacedTerm & { readonly limitNs: number }) | null = null;
  for (const { part, text, offset } of parts) {
    if (part.kind !== 'ttft') continue;
    if (part.bucket === null) rest = { text, offset, limitNs: part.limitNs };
    else ranges.push({ ...part.bucket, limitNs: part.limitNs, term: { text, offset } });
  }
  const { holes, overlaps } = partitionFaults(ranges);
  for (const [wider, bucket] of overlaps) {
    onFault(
      bucket.term,
      syntaxFault(`its range overlaps "${wider.term.text}"`, 'let one end where the next begins'),
    );
  }
  const firstRange = ranges[0];
  if (rest === null && firstRange !== undefined && holes.length > 0) {
    const lengths = holes.map((hole) => bucketLabel(hole)).join(' and ');
    onFault(
      firstRange.term,
      syntaxFault(
        `prompts of ${lengths} tokens have no limit`,
        'add ttft<=… for all other lengths',
      ),
    );
  }
  if (rest !== null && holes.length === 0) {
    onFault(
      rest,
      syntaxFault('the ranges already hold every prompt length', 'drop it, or one of the ranges'),
    );
  }
  if (rest === null && ranges.length === 0) return null;
  const others = rest === null ? [] : holes.map((hole) => ({ ...hole, limitNs: rest.limitNs }));
  return [...ranges, ...others]
    .map(({ fromTokens, toTokens, limitNs }) => ({ fromTokens, toTokens, limitNs }))
    .toSorted((a, b) => a.fromTokens - b.fromTokens);
}

function assemble(
  parts: readonly ObjectivePart[],
  ttft: readonly BucketLimit[] | null,
  name: string,
): Objective {
  const the = <K extends ObjectivePart['kind']>(kind: K): PartOf<K> | undefined =>
    parts.find((part): part is PartOf<K> => part.kind === kind);
  const base = plainObjective(name);
  const request = requestWithoutLimits(the('counts')?.kinds);
  const tpot = the('tpot');
  const gapQuantile = the('gapQuantile');
  const worst = the('worst');
  return {
    ...base,
    request: {
      ...request,
      from: the('from')?.start ?? request.from,
      ttft,
      firstAnswerNs: the('firstAnswer')?.limitNs ?? null,
      tpot: tpot === undefined ? null : { limitNs: tpot.limitNs, basis: tpot.basis },
      gapMaxNs: the('gapMax')?.limitNs ?? null,
      gapQuantile:
        gapQuantile === undefined ? null : { q: gapQuantile.q, limitNs: gapQuantile.limitNs },
      e2eNs: the('e2e')?.limitNs ?? null,
      outputTokensMax: the('output')?.tokens ?? null,
      correctness: {
        ...request.correctness,
        finish: the('finish')?.reasons ?? request.correctness.finish,
        needs: the('needs')?.kinds ?? request.correctness.needs,
        strictTerminal: the('terminal')?.strict ?? false,
      },
    },
    population: {
      attainmentShare: the('attainment')?.share ?? null,
      successShare: the('success')?.share ?? null,
      quantiles: parts.flatMap((part) =>
        part.kind === 'quantile'
          ? [{ measure: part.measure, q: part.q, limitNs: part.limitNs }]
          : [],
      ),
      worst: worst === undefined ? null : { by: worst.by, attainmentShare: worst.share },
      periodNs: the('period')?.periodNs ?? null,
    },
    perspective: the('perspective')?.perspective ?? base.perspective,
    timedOut: the('timedOut')?.timedOut ?? base.timedOut,
  };
}

/** The parts that differ from the defaults, in the order in which the head of this file has them. */
function objectiveParts(objective: Objective): ObjectivePart[] {
  const { request, population } = objective;
  const parts: ObjectivePart[] = ttftParts(request.ttft ?? []);
  const { tpot, gapQuantile, correctness } = request;
  if (request.firstAnswerNs !== null) {
    parts.push({ kind: 'firstAnswer', limitNs: request.firstAnswerNs });
  }
  if (tpot !== null) parts.push({ kind: 'tpot', ...tpot });
  if (request.gapMaxNs !== null) parts.push({ kind: 'gapMax', limitNs: request.gapMaxNs });
  if (gapQuantile !== null) parts.push({ kind: 'gapQuantile', ...gapQuantile });
  if (request.e2eNs !== null) parts.push({ kind: 'e2e', limitNs: request.e2eNs });
  if (request.outputTokensMax !== null) {
    parts.push({ kind: 'output', tokens: request.outputTokensMax });
  }
  if (population.attainmentShare !== null) {
    parts.push({ kind: 'attainment', share: population.attainmentShare });
  }
  if (population.successShare !== null) {
    parts.push({ kind: 'success', share: population.successShare });
  }
  if (population.worst !== null) {
    const { by, attainmentShare } = population.worst;
    parts.push({ kind: 'worst', by, share: attainmentShare });
  }
  for (const quantile of population.quantiles) parts.push({ kind: 'quantile', ...quantile });
  if (!sameWords(correctness.finish, defaultFinish(request.counts))) {
    parts.push({ kind: 'finish', reasons: correctness.finish });
  }
  if (!sameWords(request.counts, DEFAULT_COUNTS)) {
    parts.push({ kind: 'counts', kinds: request.counts });
  }
  if (!sameWords(correctness.needs, defaultNeeds(request.counts))) {
    parts.push({ kind: 'needs', kinds: correctness.needs });
  }
  if (request.from !== 'planned') parts.push({ kind: 'from', start: request.from });
  if (correctness.strictTerminal) parts.push({ kind: 'terminal', strict: true });
  if (objective.perspective !== 'operator') {
    parts.push({ kind: 'perspective', perspective: objective.perspective });
  }
  if (objective.timedOut !== 'miss') parts.push({ kind: 'timedOut', timedOut: objective.timedOut });
  if (population.periodNs !== null) parts.push({ kind: 'period', periodNs: population.periodNs });
  return parts;
}

function ttftParts(limits: readonly BucketLimit[]): ObjectivePart[] {
  const only = limits[0];
  if (
    only !== undefined &&
    limits.length === 1 &&
    only.fromTokens === 0 &&
    only.toTokens === null
  ) {
    return [{ kind: 'ttft', bucket: null, limitNs: only.limitNs }];
  }
  return limits.map(({ fromTokens, toTokens, limitNs }) => ({
    kind: 'ttft',
    bucket: { fromTokens, toTokens },
    limitNs,
  }));
}

/** Whether two lists are equal, order included: the text would read back in the same order. */
function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}
