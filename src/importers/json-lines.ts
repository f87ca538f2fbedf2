/** JSON Lines: one object a line, each checked against a schema. */
import type { z } from 'zod';
import { nearestWord, type ErrorCode } from '../base/index.ts';
import { parseJson } from './placed-json.ts';
import type { ProblemList } from './problem-list.ts';
import { textLines } from './text-lines.ts';

export interface JsonRow<Row> {
  readonly line: number;
  readonly row: Row;
  /** Column of the line where the key stands; 1 if it does not. */
  readonly columnOf: (key: string) => number;
}

/** Rows that fit the schema; a problem for every mistake in the others. */
export function readJsonLines<Row>(
  text: string,
  schema: z.ZodType<Row>,
  options: {
    readonly problems: ProblemList;
    readonly code: ErrorCode;
    /** How a line looks, for the hint where a key is missing. */
    readonly example?: string;
  },
): JsonRow<Row>[] {
  const { problems, code, example = null } = options;
  const rows: JsonRow<Row>[] = [];
  for (const { line, text: source } of textLines(text)) {
    const parsed = parseJson(source);
    if (parsed.kind === 'invalid') {
      const { column } = parsed.place;
      problems.add({ code, line, column, message: 'this line is not valid JSON', hint: null });
      continue;
    }
    const columnOf = (key: string): number => Math.max(1, source.indexOf(`"${key}"`) + 1);
    const checked = schema.safeParse(parsed.value);
    if (checked.success) {
      rows.push({ line, row: checked.data, columnOf });
      continue;
    }
    for (const issue of checked.error.issues) {
      const { key, message, hint } = issueText(issue, schema, example);
      problems.add({ code, line, column: columnOf(key), message, hint });
    }
  }
  return rows;
}

function issueText(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  example: string | null,
): { key: string; message: string; hint: string | null } {
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const near = nearestWord(key, knownKeys(schema));
    return { key, message: `unknown key ${key}`, hint: near && `did you mean ${near}?` };
  }
  const [first, ...rest] = issue.path;
  if (first === undefined) {
    return { key: '', message: 'this line is not a JSON object', hint: null };
  }
  const steps = rest.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  const name = `${String(first)}${steps.join('')}`;
  if (issue.message.endsWith('received undefined')) {
    const hint = example === null ? null : `write ${example}`;
    return { key: String(first), message: `${name} is missing`, hint };
  }
  return { key: String(first), message: `${name}: ${issue.message}`, hint: null };
}

function knownKeys(schema: z.ZodType): readonly string[] {
  const shape = 'shape' in schema ? schema.shape : null;
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
}
