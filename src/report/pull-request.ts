/** A summary for a pull request: ten lines of Markdown at most. */
import { printable } from '../base/index.ts';
import type { Manifest } from '../record/index.ts';
import { objectiveText } from '../slo/index.ts';
import type { PointSummary, Summary } from '../summary/index.ts';
import { sureFigure, sureShareFigure } from './certainty.ts';
import { countFigure, levelFigure } from './figures.ts';
import { kneeText } from './knee-text.ts';
import { literal, table } from './markdown-text.ts';
import { levelText, provenanceText, quantileFigure, targetText, verdictWord } from './words.ts';

/** Loads that fit: the head and its rule, the verdict, three lines of context and two blanks. */
const LOADS_MAX = 3;

/** Ends with a line end. */
export function pullRequestSummary(summary: Summary, manifest: Manifest): string {
  const shown = shownPoints(summary);
  const rows = shown.map((point) => [
    literal(levelText(point.load)),
    countFigure(point.ledger.scheduled),
    sureShareFigure(point.attainment),
    sureFigure(point.goodputRps, point.rates.intervals.goodRps, levelFigure),
    quantileFigure(point.ttftFromPlannedNs, 0.95),
    quantileFigure(point.tpotNs, 0.95),
    countFigure(point.ledger.failed + point.ledger.timedOut + point.ledger.dropped),
  ]);
  const head = ['load', 'n', 'attained', 'good /s', 'TTFT p95', 'TPOT p95', 'failed or dropped'];
  return `${[
    `**goodput: ${verdictWord(summary)}** ${literal(conclusion(summary))}`,
    '',
    ...table(head, rows),
    '',
    `${askedText(summary)}${validityText(summary)}`,
    `<sub>${literal(provenanceText(summary))} · experiment ${literal(summary.experimentHash.slice(0, 12))} · run ${literal(manifest.runId)}</sub>`,
  ].join('\n')}\n`;
}

/** The knee of a sweep, or what became of the targets. */
function conclusion({ knee, points }: Summary): string {
  const kind = points[0]?.load.kind;
  if (knee !== null && kind !== undefined) return kneeText(knee, kind);
  const results = points.flatMap(({ population }) => population);
  return results.length === 0 ? 'no target was set' : results.map(targetText).join('; ');
}

/** All loads, or those around the knee. */
function shownPoints({ points, knee }: Summary): readonly PointSummary[] {
  const ordered = points.toSorted((a, b) => a.load.level - b.load.level);
  const at = Math.max(
    0,
    ordered.findIndex(({ load }) => load.level === knee?.level),
  );
  const from = Math.max(0, Math.min(at - 1, ordered.length - LOADS_MAX));
  return ordered.slice(from, from + LOADS_MAX);
}

function askedText({ objective }: Summary): string {
  if (objective === null) return '';
  return `Asked: \`${printable(objectiveText(objective), 300).replaceAll('`', "'")}\`. `;
}

function validityText({ validity: { valid, reasons } }: Summary): string {
  const [first] = reasons.filter(({ severity }) => severity !== 'note');
  const why = first === undefined ? '' : ` ${literal(first.message)}`;
  return valid
    ? `The measurement can be trusted.${why === '' ? '' : ` Warning:${why}`}`
    : `**The measurement cannot be trusted:**${why}`;
}
