/** A line of a records file back as a record. Strict: it is our own format. */
import type { Place, Problem } from '../base/index.ts';
import { checkRecord } from './check-record.ts';
import { recordShape } from './record-shape.ts';
import { RECORD_SCHEMA_VERSION, type RequestRecord } from './request-record.ts';

/** Where a line came from. */
export type LinePlace = Omit<Place, 'column'>;

/**
 * Reads what `recordLine` wrote.
 *
 * Errors: a `Problem` (`E_RECORD_FORMAT`; tell it by {@link isRecordProblem}) when the line is cut
 * short, is not JSON, is of a later format, has a field missing, unknown or of the wrong type, or
 * breaks an invariant. Nothing of the line's text is quoted.
 */
export function parseRecordLine(line: string, place: LinePlace): RequestRecord | Problem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return isCutLine(line)
      ? problem(place, 'the record is cut short, as by a crash while it was written')
      : problem(place, 'the line is not JSON');
  }
  const version = versionOf(value);
  if (version > RECORD_SCHEMA_VERSION) {
    return problem(
      place,
      `the record is of format ${version}, and this version reads up to ${RECORD_SCHEMA_VERSION}`,
      'read it with the version of goodput that wrote it, or a later one',
    );
  }
  const issue = recordShape(value);
  if (issue !== null) {
    return problem(
      place,
      issue.path === '' ? `the record ${issue.message}` : `${issue.path} ${issue.message}`,
    );
  }
  const record = value as RequestRecord;
  const broken = checkRecord(record);
  return broken.length === 0
    ? record
    : problem(place, `the record is unsound: ${broken.join('; ')}`);
}

/** Tells the problem from the record in what {@link parseRecordLine} gave. */
export function isRecordProblem(parsed: RequestRecord | Problem): parsed is Problem {
  return 'code' in parsed;
}

/**
 * Whether a line that is not JSON breaks off in the middle: inside a string, an object or a list.
 * True of the last line of a file whose writer crashed, and there it is no error.
 */
export function isCutLine(line: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return inString || depth > 0;
}

/** The version the line claims; 0 when it claims none, which its shape then tells. */
function versionOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('schemaVersion' in value)) return 0;
  return typeof value.schemaVersion === 'number' ? value.schemaVersion : 0;
}

function problem(place: LinePlace, message: string, hint: string | null = null): Problem {
  return { code: 'E_RECORD_FORMAT', message, hint, place: { ...place, column: 1 } };
}
