/** Reads one term of an objective expression, `ttft[4k-16k]<=2s`, into its part. */
import { nearestWord, parseTokenCount } from '../base/index.ts';
import { OUTPUT_KINDS, type FinishReason } from '../record/index.ts';
import type { LatencyMeasure } from './objective.ts';
import type { ObjectivePart } from './objective-part.ts';
import {
  readBucket,
  readDurationNs,
  readQuantile,
  readShare,
  readWord,
  syntaxFault,
  valueFault,
  type Report,
  type TermFault,
} from './term-value.ts';

/** A term cut at its seams: `name(argument)[bracket] operator value`. */
interface Term {
  readonly name: string;
  readonly argument: string | null;
  readonly bracket: string | null;
  readonly operator: string;
  readonly value: string;
}

interface TermForm {
  readonly operator: '<=' | '>=' | '=';
  readonly example: string;
  /** What may stand between name and operator. */
  readonly takes: 'nothing' | 'argument' | 'bracket';
  readonly read: (term: Term, report: Report) => ObjectivePart | null;
}

const FINISH_REASONS: readonly FinishReason[] = [
  'stop',
  'length',
  'toolCalls',
  'contentFilter',
  'other',
];
const MEASURES: readonly LatencyMeasure[] = ['ttft', 'firstAnswer', 'tpot', 'gap', 'e2e'];

const QUANTILE_FORM: TermForm = {
  operator: '<=',
  example: 'p99(ttft)<=500ms',
  takes: 'argument',
  read(term, report) {
    const q = readQuantile(term.name, report);
    const measure = readWord(term.argument ?? '', MEASURES, 'a latency', report);
    const limitNs = readDurationNs(term.value, report);
    if (q === null || measure === null || limitNs === null) return null;
    return { kind: 'quantile', measure, q, limitNs };
  },
};

const FORMS: ReadonlyMap<string, TermForm> = new Map<string, TermForm>([
  [
    'ttft',
    {
      operator: '<=',
      example: 'ttft<=500ms',
      takes: 'bracket',
      read(term, report) {
        const bucket = term.bracket === null ? null : readBucket(term.bracket, report);
        const limitNs = readDurationNs(term.value, report);
        if (limitNs === null || (bucket === null && term.bracket !== null)) return null;
        return { kind: 'ttft', bucket, limitNs };
      },
    },
  ],
  [
    'gap',
    {
      operator: '<=',
      example: 'gap<=600ms',
      takes: 'bracket',
      read(term, report) {
        const limitNs = readDurationNs(term.value, report);
        if (term.bracket === null) return limitNs === null ? null : { kind: 'gapMax', limitNs };
        const q = readQuantile(term.bracket, report);
        return limitNs === null || q === null ? null : { kind: 'gapQuantile', q, limitNs };
      },
    },
  ],
  ['tpot', limitForm('tpot<=40ms', (limitNs) => ({ kind: 'tpot', basis: 'any', limitNs }))],
  [
    'tpotObserved',
    limitForm('tpotObserved<=40ms', (limitNs) => ({ kind: 'tpot', basis: 'observed', limitNs })),
  ],
  ['firstAnswer', limitForm('firstAnswer<=5s', (limitNs) => ({ kind: 'firstAnswer', limitNs }))],
  ['e2e', limitForm('e2e<=30s', (limitNs) => ({ kind: 'e2e', limitNs }))],
  [
    'output',
    {
      operator: '<=',
      example: 'output<=1000',
      takes: 'nothing',
      read(term, report) {
        const tokens = parseTokenCount(term.value);
        if (tokens !== null && tokens > 0) return { kind: 'output', tokens };
        return report(valueFault(term.value, 'a token count above 0', 'write 1000 or 1k'));
      },
    },
  ],
  ['attainment', shareForm('attainment>=95%', (share) => ({ kind: 'attainment', share }))],
  ['success', shareForm('success>=99.5%', (share) => ({ kind: 'success', share }))],
  [
    'worst',
    {
      operator: '>=',
      example: 'worst(tenant)>=90%',
      takes: 'argument',
      read(term, report) {
        const by = readWord(term.argument ?? '', ['tenant', 'class'] as const, 'a label', report);
        const share = readShare(term.value, report);
        return by === null || share === null ? null : { kind: 'worst', by, share };
      },
    },
  ],
  ['median', QUANTILE_FORM],
  [
    'finish',
    listForm('finish=stop|length', FINISH_REASONS, (reasons) => ({ kind: 'finish', reasons })),
  ],
  [
    'counts',
    listForm('counts=answer|reasoning', OUTPUT_KINDS, (kinds) => ({ kind: 'counts', kinds })),
  ],
  ['needs', listForm('needs=answer', OUTPUT_KINDS, (kinds) => ({ kind: 'needs', kinds }))],
  [
    'from',
    wordForm('from=dispatch', ['planned', 'dispatch'], (start) => ({ kind: 'from', start })),
  ],
  [
    'terminal',
    wordForm('terminal=strict', ['either', 'strict'], (word) => ({
      kind: 'terminal',
      strict: word === 'strict',
    })),
  ],
  [
    'perspective',
    wordForm('perspective=buyer', ['operator', 'buyer'], (perspective) => ({
      kind: 'perspective',
      perspective,
    })),
  ],
  [
    'timedOut',
    wordForm('timedOut=censored', ['miss', 'censored'], (timedOut) => ({
      kind: 'timedOut',
      timedOut,
    })),
  ],
  [
    'period',
    {
      operator: '=',
      example: 'period=30d',
      takes: 'nothing',
      read(term, report) {
        const periodNs = readDurationNs(term.value, report);
        return periodNs === null ? null : { kind: 'period', periodNs };
      },
    },
  ],
]);

/** Words other tools use for what has another name, or another meaning, here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['itl', 'gaps between chunks are gap<=600ms, their quantile over all requests p99(gap)<=200ms'],
  ['ttfa', 'the first answer, thinking excluded, is firstAnswer<=5s'],
  ['ttfat', 'the first answer, thinking excluded, is firstAnswer<=5s'],
  ['latency', 'the whole request is e2e<=30s; a stream is better judged by ttft and tpot'],
  ['completion', 'the whole request is e2e<=30s'],
  ['deadline', 'the whole request is e2e<=30s'],
  ['goodput', 'the share of good requests is attainment>=95%'],
  ['errors', 'the share of completed and correct requests is success>=99.5%'],
  ['p99', 'write the measure too: p99(ttft)<=500ms'],
]);

const TERM = /^([A-Za-z][\w.]*)\s*(?:\(([^)]*)\))?\s*(?:\[([^\]]*)\])?\s*([<>=!≤≥:]+)\s*(.*)$/;

/** Reads one term. `null` when it could not be read; then each fault was reported. */
export function readTerm(text: string, onFault: (fault: TermFault) => void): ObjectivePart | null {
  const report: Report = (fault) => {
    onFault(fault);
    return null;
  };
  const seams = TERM.exec(text);
  if (seams === null) {
    return report(
      syntaxFault('a term is a name, a comparison and a value', 'write it like ttft<=500ms'),
    );
  }
  const term: Term = {
    name: seams[1] as string,
    argument: seams[2]?.trim() ?? null,
    bracket: seams[3]?.trim() ?? null,
    operator: seams[4] as string,
    value: (seams[5] as string).trim(),
  };
  const form = FORMS.get(term.name) ?? (/^p[\d.]+$/.test(term.name) ? QUANTILE_FORM : undefined);
  if (form === undefined) return report(unknownName(term.name));
  const shapeIsRight = checkShape(term, form, report);
  const part = form.read(term, report);
  return shapeIsRight ? part : null;
}

function unknownName(name: string): TermFault {
  const nearest = nearestWord(name, [...FORMS.keys()]);
  const hint =
    OTHER_NAMES.get(name.toLowerCase()) ??
    (nearest === null ? `known are ${[...FORMS.keys()].join(', ')}` : `did you mean ${nearest}?`);
  return syntaxFault(`there is no "${name}"`, hint);
}

/** Checks what `form.read` does not look at: the operator, and stray arguments and brackets. */
function checkShape(term: Term, form: TermForm, report: Report): boolean {
  const faults: TermFault[] = [];
  if (term.operator !== form.operator) faults.push(operatorFault(term.operator, form));
  if (term.argument !== null && form.takes !== 'argument') {
    faults.push(syntaxFault(`${term.name} takes no (…)`, `write it like ${form.example}`));
  }
  if (term.bracket !== null && form.takes !== 'bracket') {
    faults.push(syntaxFault(`${term.name} takes no […]`, `write it like ${form.example}`));
  }
  for (const fault of faults) report(fault);
  return faults.length === 0;
}

function operatorFault(operator: string, form: TermForm): TermFault {
  const strict = (operator === '<' || operator === '>') && form.operator === `${operator}=`;
  return syntaxFault(
    `"${operator}" does not compare here`,
    strict
      ? `limits are inclusive: write ${form.operator}`
      : `write ${form.operator}, as in ${form.example}`,
  );
}

function limitForm(example: string, make: (limitNs: number) => ObjectivePart): TermForm {
  return {
    operator: '<=',
    example,
    takes: 'nothing',
    read(term, report) {
      const limitNs = readDurationNs(term.value, report);
      return limitNs === null ? null : make(limitNs);
    },
  };
}

function shareForm(example: string, make: (share: number) => ObjectivePart): TermForm {
  return {
    operator: '>=',
    example,
    takes: 'nothing',
    read(term, report) {
      const share = readShare(term.value, report);
      return share === null ? null : make(share);
    },
  };
}

function wordForm<W extends string>(
  example: string,
  words: readonly W[],
  make: (word: W) => ObjectivePart,
): TermForm {
  return {
    operator: '=',
    example,
    takes: 'nothing',
    read(term, report) {
      const word = readWord(term.value, words, 'a choice', report);
      return word === null ? null : make(word);
    },
  };
}

function listForm<W extends string>(
  example: string,
  words: readonly W[],
  make: (chosen: readonly W[]) => ObjectivePart,
): TermForm {
  return {
    operator: '=',
    example,
    takes: 'nothing',
    read(term, report) {
      const chosen = term.value
        .split('|')
        .map((word) => readWord(word.trim(), words, 'one', report));
      const known = chosen.filter((word) => word !== null);
      return known.length === chosen.length ? make([...new Set(known)]) : null;
    },
  };
}
