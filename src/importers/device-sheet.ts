/** A device's data sheet, written by hand in YAML. */
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestWord } from '../base/index.ts';
import type { DeviceSheet } from '../engine/index.ts';
import type { Imported } from './import-result.ts';
import { ProblemList } from './problem-list.ts';

const amount = z.number().positive();

/** The keys of a sheet, wherever one is written. */
export const DEVICE_SHEET = z.strictObject({
  name: z.string().min(1),
  memoryBytes: amount,
  memoryBytesPerSecond: amount,
  flopPerSecond: amount,
  linkBytesPerSecond: amount,
});

/**
 * Reads a sheet: the five keys of {@link DeviceSheet}, amounts in plain bytes and operations
 * (`memoryBytesPerSecond: 3.35e12`).
 */
export function parseDeviceSheet(
  text: string,
  { file }: { readonly file: string },
): Imported<DeviceSheet> {
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
  const checked = problems.count === 0 ? DEVICE_SHEET.safeParse(document.toJS()) : null;
  if (checked?.success === true) return { kind: 'imported', value: checked.data, notes: [] };
  for (const issue of checked?.error.issues ?? []) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    for (const key of keys) {
      const node = document.getIn([key], true) as
        | { readonly range?: readonly number[] }
        | undefined;
      const at = place(node?.range?.[0] ?? 0);
      problems.add({ ...at, ...faultOf(issue, key, document.has(key)) });
    }
  }
  return { kind: 'problems', problems: problems.toProblems() };
}

function faultOf(
  issue: z.core.$ZodIssue,
  key: string,
  isThere: boolean,
): Pick<Parameters<ProblemList['add']>[0], 'code' | 'message' | 'hint'> {
  if (issue.code === 'unrecognized_keys') {
    const near = nearestWord(key, Object.keys(DEVICE_SHEET.shape));
    const hint = near === null ? null : `did you mean ${near}?`;
    return { code: 'E_CONFIG_UNKNOWN_KEY', message: `there is no key ${key}`, hint };
  }
  if (key === '') return { code: 'E_CONFIG_SYNTAX', message: 'not a mapping of keys', hint: null };
  if (!isThere) return { code: 'E_CONFIG_MISSING_KEY', message: `${key} is missing`, hint: null };
  const what = key === 'name' ? 'a name' : 'a number above 0';
  return { code: 'E_CONFIG_VALUE', message: `${key} is not ${what}`, hint: 'write 3.35e12' };
}
