/** What every part of the terminal report is given, and the pieces they share. */
import type { PointSummary, Summary, ValidityReason } from '../summary/index.ts';
import type { ServerPoint } from '../telemetry/index.ts';
import { atMost, labelled } from './layout.ts';
import type { Palette } from './palette.ts';
import { targetText, verdictWord } from './words.ts';

export interface TerminalPage {
  readonly summary: Summary;
  /** What the servers said of each load point. */
  readonly servers: readonly ServerPoint[];
  readonly width: number;
  readonly palette: Palette;
  readonly explain: boolean;
  /** One line a text, where a roomy page would be too long. */
  readonly tight: boolean;
}

/** A labelled line; without `explain` it is cut after `limit` lines. */
export function marginLines(page: TerminalPage, label: string, text: string, limit = 1): string[] {
  const lines = labelled(label, text, page.width);
  const kept = page.explain ? lines : atMost(page.tight ? 1 : limit, lines, page.width);
  return kept.map((line) =>
    line.startsWith(label) ? page.palette.dim(label) + line.slice(label.length) : line,
  );
}

/** The word in its colour: invalid and missed are red, met is green, all else is in doubt. */
export function paintedVerdict(page: TerminalPage): string {
  const { palette } = page;
  const word = verdictWord(page.summary);
  const paint =
    word === 'MET' ? palette.good : word === 'NOT ENOUGH DATA' ? palette.doubtful : palette.bad;
  return palette.bold(word === 'NO TARGET' ? word : paint(word));
}

/** The verdict is that of the target that comes first. */
const GRAVEST = ['missed', 'notEnoughData', 'met'] as const;

/**
 * What was asked of the population and what came of it, what decides the verdict first, for the end
 * may be cut; says so when nothing was asked.
 */
export function targetsText(page: TerminalPage, point: PointSummary): string {
  if (point.population.length === 0) {
    return page.summary.objective === null
      ? 'no objective was set: good means a correct answer, whatever its latency'
      : 'the objective sets no target over the requests, so there is no verdict';
  }
  const invalid = page.summary.validity.valid ? '' : 'not to be trusted · ';
  const gravest = point.population.toSorted(
    (a, b) => GRAVEST.indexOf(a.state) - GRAVEST.indexOf(b.state),
  );
  // What proof would take is the first that a full page can do without.
  const texts = gravest.map((result) =>
    targetText(page.tight ? { ...result, toProve: null } : result),
  );
  return invalid + texts.join(' · ');
}

/** The gravest reasons, each with its advice; without `explain` the first few, and how many more. */
export function validityLines(
  page: TerminalPage,
  reasons: readonly ValidityReason[],
  limit: number,
): string[] {
  const { palette } = page;
  const styles = {
    invalid: ['INVALID', palette.bad],
    warning: ['Warning', palette.doubtful],
    note: ['Note', palette.dim],
  } as const;
  const shown = page.explain ? reasons : reasons.slice(0, page.tight ? 1 : limit);
  const lines = shown.flatMap(({ severity, message, advice }, index) => {
    const [label, paint] = styles[severity];
    const text = advice === null ? message : `${message} → ${advice}`;
    return marginLines(
      { ...page, palette: { ...palette, dim: paint } },
      label,
      text,
      index === 0 ? 2 : 1,
    );
  });
  const hidden = reasons.length - shown.length;
  return hidden === 0
    ? lines
    : [...lines, ...marginLines(page, 'Note', `${hidden} more with --explain`)];
}
