/** The stored noise floor of an A/A comparison. */
import { existsSync } from 'node:fs';
import { type JsonValue, printable, ProblemsError, usageProblem } from '../base/index.ts';
import { type NoiseFloor, parseNoiseFloor } from '../comparison/index.ts';
import { readTextFile } from './files.ts';

/**
 * The floor in `path`; `null` when there is no such file.
 * Errors: ProblemsError when the file holds something else; EnvironmentError when it cannot be read.
 */
export function readNoiseFloor(path: string): NoiseFloor | null {
  if (!existsSync(path)) return null;
  const floor = parseNoiseFloor(jsonOf(readTextFile(path)));
  if (floor !== null) return floor;
  const hint = 'measure it again with --a-a';
  throw new ProblemsError([
    usageProblem('E_USAGE_VALUE', `${printable(path)} holds no noise floor of this version`, hint),
  ]);
}

function jsonOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
