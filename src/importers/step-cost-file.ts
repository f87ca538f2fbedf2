/** Step costs measured elsewhere: lines in YAML, or a grid in CSV. */
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestWord } from '../base/index.ts';
import type { AffineOptions, LoadHull, TableOptions } from '../engine/index.ts';
import { type CsvRow, readCsvRows } from './csv-rows.ts';
import type { Imported } from './import-result.ts';
import { ProblemList } from './problem-list.ts';

const seconds = z.number().min(0);
const tokens = z.number().min(0);
const decodeLine = z.strictObject({
  baseSeconds: z.number().gt(0),
  secondsPerContextToken: seconds,
  secondsPerSequence: seconds,
});

const AFFINE = z.strictObject({
  provenance: z.string().min(1).max(500),
  prefill: z.strictObject({
    baseSeconds: z.number().gt(0),
    secondsPerToken: seconds,
    secondsPerSquare: seconds,
  }),
  decode: z.strictObject({ small: decodeLine, large: decodeLine, largeFrom: z.int().min(1) }),
  hull: z
    .strictObject({
      sequences: tokens,
      decodeContextTokens: tokens,
      prefillTokens: tokens,
      attentionPairs: tokens,
    })
    .nullable()
    .default(null),
});

/**
 * Reads the lines of DistServe's form: `prefill`, `decode` for small and for large batches,
 * `provenance`, and, where it is known, the `hull` of what was measured.
 */
export function parseAffineCost(
  text: string,
  { file }: { readonly file: string },
): Imported<AffineOptions> {
  const problems = new ProblemList(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  for (const { message, pos } of document.errors) {
    problems.add({ code: 'E_CONFIG_SYNTAX', ...place(pos[0]), message, hint: null });
  }
  const checked = problems.count === 0 ? AFFINE.safeParse(document.toJS()) : null;
  if (checked?.success === true) {
    const { provenance, hull, prefill, decode } = checked.data;
    const calibration = { provenance, hull, residuals: [] };
    return { kind: 'imported', value: { prefill, decode, calibration }, notes: [] };
  }
  for (const issue of checked?.error.issues ?? []) {
    // The nearest key above that is there is where a missing one belongs.
    const path = issue.path.map(String);
    const node = [...path.keys(), path.length]
      .map((depth) => document.getIn(path.slice(0, path.length - depth), true))
      .find((found) => found !== undefined) as { readonly range?: readonly number[] } | undefined;
    problems.add({
      ...place(node?.range?.[0] ?? 0),
      ...faultOf(issue, path.join('.'), document.hasIn(path)),
    });
  }
  return { kind: 'problems', problems: problems.toProblems() };
}

function faultOf(issue: z.core.$ZodIssue, key: string, isThere: boolean) {
  if (issue.code === 'unrecognized_keys') {
    const known = ['provenance', 'prefill', 'decode', 'hull', ...LINE_KEYS];
    const [unknown = ''] = issue.keys;
    const near = nearestWord(unknown, known);
    const message = `there is no key ${[key, unknown].filter((part) => part !== '').join('.')}`;
    const hint = near === null ? null : `did you mean ${near}?`;
    return { code: 'E_CONFIG_UNKNOWN_KEY' as const, message, hint };
  }
  if (key === '') {
    return { code: 'E_CONFIG_SYNTAX' as const, message: 'not a mapping of keys', hint: null };
  }
  return isThere
    ? { code: 'E_CONFIG_VALUE' as const, message: `${key}: ${issue.message}`, hint: null }
    : { code: 'E_CONFIG_MISSING_KEY' as const, message: `${key} is missing`, hint: null };
}

const LINE_KEYS = [
  ...Object.keys(AFFINE.shape.prefill.shape),
  ...Object.keys(decodeLine.shape),
  'small',
  'large',
  'largeFrom',
];

const COLUMNS = ['phase', 'sequences', 'tokens', 'seconds'] as const;
type Row = CsvRow<(typeof COLUMNS)[number]>;

interface Measured {
  readonly row: Row;
  readonly sequences: number;
  readonly tokens: number;
  readonly seconds: number;
}

/**
 * Reads a measured grid, one step a line: `phase,sequences,tokens,seconds`. Of a `prefill`, tokens
 * are those of all its prompts; of a `decode`, the mean context of its sequences. Every pair of the
 * decode axes must be there once.
 */
export function parseTableCost(
  text: string,
  { file }: { readonly file: string },
): Imported<TableOptions> {
  const problems = new ProblemList(file);
  const rows = readCsvRows(text, COLUMNS, { problems, code: 'E_CONFIG_SYNTAX' });
  const prefills: Measured[] = [];
  const decodes: Measured[] = [];
  for (const row of rows) {
    const measured = readMeasured(row, problems);
    if (measured === null) continue;
    if (row.field.phase === 'prefill') prefills.push(measured);
    else decodes.push(measured);
  }
  const curve = prefills.toSorted((a, b) => a.tokens - b.tokens);
  for (const [at, { row, tokens: value }] of curve.entries()) {
    if (value !== curve[at - 1]?.tokens) continue;
    fault(problems, row, 'tokens', `a prefill of ${value} tokens is there twice`);
  }
  const decode = readGrid(decodes, problems);
  if (problems.count === 0 && (curve.length === 0 || decodes.length === 0)) {
    const missing = curve.length === 0 ? 'prefill' : 'decode';
    const hint = 'a table has both: their lines begin with prefill or decode';
    const message = `there is no ${missing} line`;
    problems.add({ code: 'E_CONFIG_VALUE', line: 1, column: 1, message, hint });
  }
  if (problems.count > 0) return { kind: 'problems', problems: problems.toProblems() };
  const prefill = {
    at: curve.map((point) => point.tokens),
    seconds: curve.map((point) => point.seconds),
  };
  const calibration = {
    provenance: `measured grid ${file}`,
    hull: hullOf(prefill.at, decode),
    residuals: [],
  };
  return { kind: 'imported', value: { prefill, decode, calibration }, notes: [] };
}

function readMeasured(row: Row, problems: ProblemList): Measured | null {
  const before = problems.count;
  const { phase, sequences, tokens: tokensText, seconds: secondsText } = row.field;
  if (phase !== 'prefill' && phase !== 'decode') {
    fault(problems, row, 'phase', 'phase is neither prefill nor decode');
  }
  if (!/^[1-9]\d{0,8}$/.test(sequences)) {
    fault(problems, row, 'sequences', 'sequences is not a whole number, 1 or more');
  }
  if (!(/^\d+(\.\d+)?$/.test(tokensText) && Number(tokensText) > 0)) {
    fault(problems, row, 'tokens', 'tokens is not a number above 0');
  }
  const value = Number(secondsText);
  if (secondsText === '' || !(value > 0 && value < Number.POSITIVE_INFINITY)) {
    fault(problems, row, 'seconds', 'seconds is not a number above 0');
  }
  if (problems.count > before) return null;
  return { row, sequences: Number(sequences), tokens: Number(tokensText), seconds: value };
}

/** The grid of the decode lines, which must be whole. */
function readGrid(decodes: readonly Measured[], problems: ProblemList): TableOptions['decode'] {
  const axis = (valueOf: (measured: Measured) => number): number[] =>
    [...new Set(decodes.map(valueOf))].toSorted((a, b) => a - b);
  const sequences = axis((measured) => measured.sequences);
  const contextTokens = axis((measured) => measured.tokens);
  const found = new Map<string, number>();
  for (const { row, sequences: n, tokens: mean, seconds: value } of decodes) {
    const key = `${n} ${mean}`;
    if (found.has(key))
      fault(problems, row, 'sequences', `a decode of ${n} × ${mean} is there twice`);
    found.set(key, value);
  }
  const grid = sequences.map((n) => contextTokens.map((mean) => found.get(`${n} ${mean}`) ?? null));
  const at = grid.findIndex((line) => line.includes(null));
  if (at >= 0) {
    const mean = contextTokens[(grid[at] ?? []).indexOf(null)];
    const message = `the grid has a hole: no decode of ${sequences[at]} sequences of ${mean} tokens`;
    const hint = 'measure every pair of the axes, or leave out the line that is alone';
    problems.add({ code: 'E_CONFIG_VALUE', line: 1, column: 1, message, hint });
  }
  return { sequences, contextTokens, seconds: grid.map((line) => line.map((value) => value ?? 0)) };
}

/** As far as the grid goes; one prompt as long as the longest prefill has the most pairs. */
function hullOf(prefillTokens: readonly number[], grid: TableOptions['decode']): LoadHull {
  const most = prefillTokens.at(-1) ?? 0;
  const sequences = grid.sequences.at(-1) ?? 0;
  return {
    sequences,
    decodeContextTokens: sequences * (grid.contextTokens.at(-1) ?? 0),
    prefillTokens: most,
    attentionPairs: (most * (most + 1)) / 2,
  };
}

function fault(
  problems: ProblemList,
  row: Row,
  name: (typeof COLUMNS)[number],
  message: string,
): void {
  problems.add({
    code: 'E_CONFIG_VALUE',
    line: row.line,
    column: row.columnOf(name),
    message,
    hint: null,
  });
}
