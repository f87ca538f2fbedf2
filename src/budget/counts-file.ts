/** Text → counts of windows: a JSON list, an object with `windows`, a judgement, or one object a line. */
import { parseInstantMs, printable, type Problem } from '../base/index.ts';
import { type WindowCounts, windowCountsFault } from '../slo/index.ts';
import { type BudgetTargets, judgedCounts } from './judgement-file.ts';

/** Counts with their instants read. */
export interface CountedWindow extends WindowCounts {
  readonly fromMs: number;
  readonly toMs: number;
}

const PROBLEMS_SHOWN = 10;

/** What a file of counts holds. */
export interface CountsFile {
  /** In the order of time, none overlapping. */
  readonly windows: readonly CountedWindow[];
  /** What the counts were judged by; `null` = bare counts, which do not tell. */
  readonly targets: BudgetTargets | null;
}

/**
 * Reads counts.
 *
 * Errors: problems when a window is broken, or two overlap: their requests would count twice.
 */
export function parseCounts(
  text: string,
  file: string,
): CountsFile | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const fail = (line: number, message: string, hint: string): void => {
    problems.push({ code: 'E_CONFIG_VALUE', message, hint, place: { file, line, column: 1 } });
  };
  const windows: CountedWindow[] = [];
  const whole = jsonOf(text);
  const judged = judgedCounts(whole);
  const rows = judged?.rows.map((value) => ({ value, line: 1 })) ?? rowsOf(whole, text);
  if (rows.length === 0) {
    if (judged === null) {
      fail(1, 'the file holds no counts', 'write one JSON object a line: {"windowStart": …}');
    } else {
      fail(1, 'the judgement holds no windows of time', 'goodput judge LOGS --by 1h --format json');
    }
    return { problems };
  }
  for (const { value, line } of rows) {
    const read = readWindow(value);
    if (typeof read === 'string') fail(line, read, SHAPE);
    else windows.push(read);
  }
  windows.sort((a, b) => a.fromMs - b.fromMs);
  for (const [at, window] of windows.entries()) {
    const before = windows[at - 1];
    if (before !== undefined && before.toMs > window.fromMs) {
      const message = `the windows from ${before.windowStart} and ${window.windowStart} overlap`;
      fail(1, message, 'give each request to one window; pool buckets before');
    }
  }
  return problems.length > 0
    ? { problems: problems.slice(0, PROBLEMS_SHOWN) }
    : { windows, targets: judged?.targets ?? null };
}

const SHAPE =
  'windowStart, windowEnd (2026-11-01T00:00:00Z), offered, good, bad, excluded, unjudged, failed, incorrect';

interface Row {
  readonly value: unknown;
  readonly line: number;
}

function rowsOf(whole: unknown, text: string): Row[] {
  const list = Array.isArray(whole)
    ? whole
    : (whole as { readonly windows?: unknown } | undefined)?.windows;
  if (Array.isArray(list)) return list.map((value: unknown) => ({ value, line: 1 }));
  const lines = text.split('\n').map((each, at) => ({ text: each.trim(), line: at + 1 }));
  return lines
    .filter((each) => each.text !== '')
    .map((each) => ({ value: jsonOf(each.text), line: each.line }));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The window, or what is wrong with it. Counts that are not given are 0, causes unknown. */
function readWindow(value: unknown): CountedWindow | string {
  if (typeof value !== 'object' || value === null) return 'this is no JSON object';
  const given = value as Readonly<Record<string, unknown>>;
  const instants = ['windowStart', 'windowEnd'].map((key) =>
    typeof given[key] === 'string' ? parseInstantMs(given[key]) : null,
  );
  const [fromMs = null, toMs = null] = instants;
  if (fromMs === null || toMs === null) return 'windowStart or windowEnd is no instant with a zone';
  if (toMs <= fromMs) return 'windowEnd is not after windowStart';
  const count = (key: string): number => (given[key] === undefined ? 0 : Number(given[key]));
  const cause = (key: string): number | null =>
    given[key] === undefined || given[key] === null ? null : Number(given[key]);
  const window: CountedWindow = {
    windowStart: String(given['windowStart']),
    windowEnd: String(given['windowEnd']),
    offered: count('offered'),
    good: count('good'),
    bad: count('bad'),
    excluded: count('excluded'),
    unjudged: count('unjudged'),
    failed: cause('failed'),
    incorrect: cause('incorrect'),
    fromMs,
    toMs,
  };
  const fault = windowCountsFault(window);
  return fault === null ? window : printable(fault);
}
