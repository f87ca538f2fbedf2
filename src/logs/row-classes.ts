/**
 * Rows that an objective cannot tell apart, as SQL. An objective asks of a latency only which limits
 * it is within, of a word only whether it is one of a few: so the rows of a log fall into a few dozen
 * classes. They are numbered and counted first, row by row; then one row of each class is judged.
 */
import { assert } from '../base/index.ts';
import { namesEvidence, promptBucketsOf, type Objective } from '../slo/index.ts';
import type { JudgedColumn } from './judged-row.ts';
import { quoted } from './objective-sql.ts';
import { rowQuantiles } from './slice-counts.ts';

/** What is asked of a column in one go: the first condition that holds, and a value for each. */
interface Question {
  readonly conditions: readonly string[];
  /** One more than conditions: the last stands for all other rows. Literals. */
  readonly values: readonly string[];
}

/** A column that is asked; of a list of words, several questions, whose values are put together. */
interface AskedColumn {
  readonly column: JudgedColumn;
  readonly questions: readonly Question[];
}

/** Columns that are looked at only where others leave a doubt: elsewhere the first value stands. */
interface AskedTogether {
  /** Where their values do not matter, or are the first ones; `null` = nowhere. */
  readonly unless: string | null;
  readonly columns: readonly AskedColumn[];
}

/** The classes of rows as SQL. */
export interface RowClasses {
  /** Columns to group by: the number of a row's class, cut where one number would grow too large. */
  readonly codes: readonly { readonly name: string; readonly sql: string }[];
  /** From `codes` back to a row that is judged as all of its class are. */
  readonly columns: readonly { readonly name: JudgedColumn; readonly sql: string }[];
}

/** Classes of a code column; beyond, sums of 64 bits are needed, which take longer. */
const CODES_MOST = 2 ** 31;

/** The classes that `objective` tells apart; those of prompt length only where `byBucket` or asked. */
export function rowClasses(objective: Objective, byBucket: boolean): RowClasses {
  const codes: Code[] = [];
  const columns: { name: JudgedColumn; sql: string }[] = [];
  for (const { unless, columns: together } of askedColumns(objective, byBucket)) {
    const all = together.flatMap(({ questions }) => questions);
    const classes = all.reduce((product, { values }) => product * values.length, 1);
    // In one code where they fit: each code looks at `unless` by itself.
    makeRoom(codes, classes);
    const termsOf = new Map<Code, string[]>();
    for (const { column, questions } of together) {
      const values: string[] = [];
      for (const question of questions) {
        const code = makeRoom(codes, question.values.length);
        termsOf.set(code, [...(termsOf.get(code) ?? []), termSql(question, code.count)]);
        values.push(valueSql(question, code.name, code.count));
        code.count *= question.values.length;
      }
      columns.push({ name: column, sql: values.join(' || ') });
    }
    for (const [code, terms] of termsOf) {
      const sum = terms.join(' + ');
      code.terms.push(unless === null ? sum : `CASE WHEN ${unless} THEN 0 ELSE ${sum} END`);
    }
  }
  return { codes: codes.map(({ name, terms }) => ({ name, sql: terms.join(' + ') })), columns };
}

interface Code {
  readonly name: string;
  readonly terms: string[];
  /** Classes so far: the weight of the next question. */
  count: number;
}

/** The last of the codes where it has room for so many times its classes, else a new one. */
function makeRoom(codes: Code[], times: number): Code {
  const last = codes.at(-1);
  if (last !== undefined && (last.count === 1 || last.count * times <= CODES_MOST)) return last;
  const code: Code = { name: `code_${codes.length}`, terms: [], count: 1 };
  codes.push(code);
  return code;
}

/** The answer to a question as a digit of the class number. A row costs as many tests as it fails. */
function termSql({ conditions }: Question, weight: number): string {
  const whens = conditions.map((condition, at) => `WHEN ${condition} THEN ${at * weight}`);
  return `CASE ${whens.join(' ')} ELSE ${conditions.length * weight} END`;
}

function valueSql({ values }: Question, code: string, weight: number): string {
  const whens = values.map((value, at) => `WHEN ${at} THEN ${value}`);
  return `CASE ${code} // ${weight} % ${values.length} ${whens.join(' ')} END`;
}

/** Each column once, the cheap and usual ways first. */
function askedColumns(objective: Objective, byBucket: boolean): AskedTogether[] {
  const { request } = objective;
  const { ttft, tpot, gapMaxNs, gapQuantile, e2eNs } = request;
  const from = request.from === 'planned' ? 'planned' : 'dispatch';
  const limits = ttft?.map(({ limitNs }) => limitNs) ?? [];
  const e2e = e2eNs === null ? [] : [e2eNs];
  const gaps = gapMaxNs === null ? [] : [gapMaxNs];
  const quantileGaps = gapQuantile === null ? [] : [gapQuantile.limitNs];
  const tokens = request.outputTokensMax;
  const targets = (of: string): number[] =>
    rowQuantiles(objective).flatMap(({ measure, limitNs }) => (measure === of ? [limitNs] : []));
  const ttftAsked = within(`ttft_${from}_ns`, [...limits, ...targets('ttft')]);
  const e2eAsked = within(`e2e_${from}_ns`, [...e2e, ...targets('e2e')]);
  const gapsAsked = [...within('gap_max_ns', gaps), ...within('gap_quantile_ns', quantileGaps)];
  return [
    correctnessAsked(objective),
    always([
      ...(byBucket || limits.length > 1 ? [promptAsked(objective)] : []),
      ...ttftAsked,
      ...e2eAsked,
      ...within('tpot_ns', [...(tpot === null ? [] : [tpot.limitNs]), ...targets('tpot')]),
      ...(tpot?.basis === 'observed' ? [oneOf('tpot_basis', ['observed'])] : []),
      ...gapsAsked,
      ...within('output_tokens', tokens === null ? [] : [tokens]),
      ...checksAsked(request.correctness.checks.map(({ name }) => name)),
    ]),
    unlessKnown(
      [...(limits.length === 0 ? [] : ttftAsked), ...(e2e.length === 0 ? [] : e2eAsked)],
      within(`waited_${from}_ns`, [...limits, ...e2e]),
    ),
    ...(tpot === null
      ? []
      : [{ unless: 'tpot_ns IS NOT NULL', columns: [oneOf('tpot_reason', ['oneToken'])] }]),
    unlessKnown(
      gapsAsked,
      gapsAsked.length === 0 ? [] : [oneOf('gap_reason', ['singleEvent', 'oneToken'], 'together')],
    ),
    { unless: `outcome = 'completed'`, columns: within('waited_content_ns', gaps) },
  ].filter(({ columns }) => columns.length > 0);
}

function always(columns: readonly AskedColumn[]): AskedTogether {
  return { unless: null, columns };
}

/** What stands in where one of `known` is missing. */
function unlessKnown(
  known: readonly AskedColumn[],
  columns: readonly AskedColumn[],
): AskedTogether {
  return { unless: known.map(({ column }) => `${column} IS NOT NULL`).join(' AND '), columns };
}

/** Of a completed and correct answer all of this is known at once. */
function correctnessAsked({ request, refusals }: Objective): AskedTogether {
  const { finish, needs, strictTerminal } = request.correctness;
  const columns = [
    oneOf('outcome', ENDS),
    oneOf('finish', finish, 'together'),
    kindsAsked(needs),
    truth('terminal'),
  ];
  const told = strictTerminal ? columns : columns.slice(0, -1);
  assert(finish.length > 0 && needs.length > 0, 'no answer can be correct');
  return {
    unless: told.map(({ questions }) => `(${questions[0]?.conditions[0]})`).join(' AND '),
    columns: [...columns, truth('imported'), ...errorsAsked(refusals.filter(namesEvidence))],
  };
}

/** Outcomes by name, the usual one first. */
const ENDS = ['completed', 'failed', 'timedOut', 'cancelled', 'dropped', 'notReached'] as const;

/** Which of the limits a number is within, `limits` being inclusive. None: not asked. */
function within(column: JudgedColumn, limits: readonly number[]): AskedColumn[] {
  if (limits.length === 0) return [];
  const rising = [...new Set(limits)].toSorted((a, b) => a - b);
  const most = rising.at(-1) as number;
  return [
    asked(
      column,
      [...rising.map((limit) => `${column} <= ${limit}`), `${column} IS NULL`],
      [...rising.map(String), 'NULL', String(most + 1)],
    ),
  ];
}

/** The bucket of the prompt; buckets hold every length once. */
function promptAsked(objective: Objective): AskedColumn {
  const starts = promptBucketsOf(objective)
    .map(({ fromTokens }) => fromTokens)
    .toSorted((a, b) => b - a);
  return asked(
    'prompt_tokens',
    [...starts.map((start) => `prompt_tokens >= ${start}`), 'prompt_tokens IS NULL'],
    [...starts.map(String), 'NULL', String((starts.at(-1) ?? 0) - 1)],
  );
}

/** Which of the words a text is; `together`: only whether it is one of them. */
function oneOf(
  column: JudgedColumn,
  words: readonly string[],
  how: 'each' | 'together' = 'each',
): AskedColumn {
  const literals = words.map(quoted);
  const groups = how === 'each' ? literals : literals.slice(0, 1);
  const conditions =
    how === 'each'
      ? literals.map((word) => `${column} = ${word}`)
      : groups.map(() => `${column} IN (${literals.join(', ')})`);
  // Longer than each of the words, so none of them.
  const other = quoted(`${words.join('')}-`);
  return asked(column, [...conditions, `${column} IS NULL`], [...groups, 'NULL', other]);
}

function truth(column: JudgedColumn): AskedColumn {
  return asked(column, [column, `NOT ${column}`], ['TRUE', 'FALSE', 'NULL']);
}

function kindsAsked(needs: readonly string[]): AskedColumn {
  const holds = needs.map((kind) => `contains(kinds, ${quoted(` ${kind} `)})`).join(' OR ');
  const one = quoted(` ${needs[0] ?? ''} `);
  return asked('kinds', [holds, `kinds = ''`, 'kinds IS NULL'], [one, `''`, 'NULL', `'-'`]);
}

/** Which of the words a list holds, each for itself. */
function listed(
  column: JudgedColumn,
  words: readonly string[],
  separator: string,
): AskedColumn | null {
  if (words.length === 0) return null;
  const known = [...new Set(words)].map((word) => quoted(`${separator}${word}${separator}`));
  return {
    column,
    questions: [
      { conditions: [`${column} IS NULL`], values: ['NULL', `''`] },
      ...known.map((word) => ({
        conditions: [`contains(${column}, ${word})`],
        values: [word, `''`],
      })),
    ],
  };
}

function checksAsked(names: readonly string[]): AskedColumn[] {
  return [listed('checks_failed', names, '\n'), listed('checks_passed', names, '\n')].filter(
    (one) => one !== null,
  );
}

/** What refusal rules look at, of requests that failed. */
function errorsAsked(rules: Objective['refusals']): AskedColumn[] {
  const codes = [...new Set(rules.map(({ code }) => code).filter((code) => code !== null))];
  const bodies = rules.map(({ body }) => body).filter((body) => body !== null);
  const statuses = [...new Set(rules.map(({ status }) => status).filter((one) => one !== null))];
  const evidence = listed('error_evidence', bodies, ' ');
  return [
    ...(rules.length === 0 ? [] : [truth('has_error')]),
    ...(statuses.length === 0
      ? []
      : [equals('error_status', statuses), equals('http_status', statuses)]),
    ...(codes.length === 0 ? [] : [oneOf('error_code', codes), oneOf('error_type', codes)]),
    ...(evidence === null ? [] : [evidence]),
  ];
}

function equals(column: JudgedColumn, numbers: readonly number[]): AskedColumn {
  return asked(
    column,
    [...numbers.map((number) => `${column} = ${number}`), `${column} IS NULL`],
    [...numbers.map(String), 'NULL', String(Math.max(...numbers) + 1)],
  );
}

function asked(
  column: JudgedColumn,
  conditions: readonly string[],
  values: readonly string[],
): AskedColumn {
  assert(values.length === conditions.length + 1, `${column} lacks a value for the other rows`);
  return { column, questions: [{ conditions, values }] };
}
