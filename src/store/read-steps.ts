import { printable, ProblemsError } from '../base/index.ts';
import { isStepRow, type StepLog, type StepRow } from '../record/index.ts';
import { readTextFile } from './json-file.ts';

/**
 * The steps in a file of a run; `null` when there is no such file. All of them are in memory, for
 * their number has a limit.
 *
 * Errors: `ProblemsError` (`E_RUN_FORMAT`) at the first line that is no row.
 */
export async function readSteps(path: string): Promise<StepLog | null> {
  const text = await readTextFile(path);
  if (text === null) return null;
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const rows = lines.map((line, at): StepRow => {
    const row = parsed(line);
    if (!isStepRow(row)) throw notSteps(path, at + 2);
    return row;
  });
  const header = parsed(head) as Partial<Record<string, unknown>> | null;
  const cutNs = header?.['cutNs'];
  const isCut = typeof cutNs === 'number';
  if (header?.['rowCount'] !== rows.length || (!isCut && cutNs !== null)) throw notSteps(path, 1);
  return { rows, cutNs: isCut ? cutNs : null };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function notSteps(path: string, line: number): ProblemsError {
  const message = `${printable(path)} holds something else than the steps of a simulation`;
  const hint = 'simulate again with --steps';
  const place = { file: path, line, column: 1 };
  return new ProblemsError([{ code: 'E_RUN_FORMAT', message, hint, place }]);
}
