/** The complete report as Markdown: every figure of the summary, and what it takes to repeat it. */
import { printable } from '../base/index.ts';
import type { Manifest } from '../record/index.ts';
import { objectiveText } from '../slo/index.ts';
import type { PointSummary, Summary, ValidityReason } from '../summary/index.ts';
import type { ServerPoint } from '../telemetry/index.ts';
import { sureFigure, sureShareFigure } from './certainty.ts';
import { countFigure, levelFigure } from './figures.ts';
import { kneeText } from './knee-text.ts';
import { manifestSections } from './markdown-manifest.ts';
import { pointSections } from './markdown-point.ts';
import { literal, table } from './markdown-text.ts';
import { pooledLoadLines } from './pooled-loads.ts';
import { type ServerView, serverView } from './server-view.ts';
import {
  endText,
  levelText,
  provenanceText,
  quantileFigure,
  stateWord,
  targetText,
  verdictWord,
} from './words.ts';

/**
 * The report of a run; `manifest` is the one its records came with, `servers` what the servers said
 * of each load point. Ends with a line end.
 */
export function markdownReport(
  summary: Summary,
  manifest: Manifest,
  servers: readonly ServerPoint[] = [],
): string {
  const lines = [
    `# ${verdictWord(summary)}: ${literal(titleText(summary))}`,
    '',
    ...verdictSection(summary),
    ...validitySection(summary),
    ...(summary.points.length > 1 ? sweepSection(summary) : []),
    ...summary.points.flatMap((point) => [
      ...pointSections(point),
      ...serverSection(serverView(servers, point, summary.objective)),
    ]),
    ...manifestSections(summary, manifest),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function titleText({ points }: Summary): string {
  const [only] = points;
  return points.length === 1 && only !== undefined ? only.load.label : `${points.length} loads`;
}

function verdictSection(summary: Summary): string[] {
  const asked =
    summary.objective === null
      ? 'No objective was set: good means a correct answer, whatever its latency.'
      : `Asked of every request and of the whole: \`${printable(objectiveText(summary.objective), 1_000).replaceAll('`', "'")}\``;
  const results = summary.points.flatMap((point) =>
    point.population.map((result) => {
      const load = summary.points.length > 1 ? `${literal(point.load.label)}: ` : '';
      return `- ${load}${literal(targetText(result))}`;
    }),
  );
  return [
    asked,
    '',
    ...(results.length === 0 ? ['No target over the requests was set: no verdict.'] : results),
    '',
    `${literal(provenanceText(summary))}${summary.partial ? ' · **the run was cut short**' : ''}`,
    '',
  ];
}

function validitySection(summary: Summary): string[] {
  const { valid, reasons } = summary.validity;
  return [
    '## Validity',
    '',
    valid ? 'The measurement can be trusted.' : '**The measurement cannot be trusted.**',
    'This is judged apart from how the service did.',
    '',
    ...reasons.map(reasonLine),
    ...(reasons.length === 0 ? ['- no reason against it'] : []),
    '',
  ];
}

function reasonLine({ severity, check, message, advice }: ValidityReason): string {
  const then = advice === null ? '' : ` → ${literal(advice)}`;
  return `- **${severity}** (${literal(check)}): ${literal(message)}${then}`;
}

/** Throughput beside goodput, load by load. */
function sweepSection(summary: Summary): string[] {
  const kind = summary.points[0]?.load.kind;
  return [
    '## All loads',
    '',
    ...table(
      [
        'load',
        'in flight',
        'output tok/s',
        'goodput /s',
        'attained',
        'TTFT p95',
        'TPOT p95',
        'dropped',
        'errors',
        'verdict',
      ],
      summary.points.map((point) => [
        literal(levelText(point.load)),
        levelFigure(point.inFlightMean),
        sureFigure(
          point.rates.outputTokensPerSecond,
          point.rates.intervals.outputTokensPerSecond,
          levelFigure,
        ),
        sureFigure(point.goodputRps, point.rates.intervals.goodRps, levelFigure),
        sureShareFigure(point.attainment),
        quantileFigure(point.ttftFromPlannedNs, 0.95),
        quantileFigure(point.tpotNs, 0.95),
        countFigure(point.ledger.dropped),
        countFigure(point.ledger.failed + point.ledger.timedOut),
        pointVerdict(point),
      ]),
    ),
    '',
    ...(summary.knee === null || kind === undefined
      ? []
      : [`Knee: ${literal(kneeText(summary.knee, kind))}.`, '']),
    ...pooledLoadLines(summary.points).flatMap((line) => [`Pooled: ${literal(line)}.`, '']),
    'Seen at these loads and this length; a capacity claim needs longer runs.',
    '',
  ];
}

function serverSection(view: ServerView | null): string[] {
  if (view === null) return [];
  const [head = [], ...rows] = view.rows.map((row) => row.map((cell) => literal(cell)));
  return [
    '### Servers',
    '',
    ...table(head, rows),
    '',
    ...view.notes.map((note) => `- ${literal(note, 1_000)}`),
    '',
  ];
}

function pointVerdict(point: PointSummary): string {
  const states = point.population.map((result) => stateWord(result.state));
  const trust = point.validity.valid ? '' : 'invalid, ';
  return `${trust}${states.length === 0 ? 'no target' : states.join(', ')} (${literal(endText(point))})`;
}
