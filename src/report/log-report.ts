/** The judgement of a log as text for people: terminal and Markdown. */
import { percentText, printable } from '../base/index.ts';
import {
  isoInstant,
  type JoinedTries,
  type LogTable,
  type LogWindow,
  type TargetResult,
} from '../logs/index.ts';
import type { ImportReport } from '../importers/index.ts';
import { objectiveText, type Objective } from '../slo/index.ts';
import { shareRange, targetFigure } from './figures.ts';
import { alignedWithin, wrapped } from './layout.ts';
import { WINDOW_HEAD, windowCells, windowLines } from './log-window-lines.ts';

/** Everything `judge` has to say of logs. */
export interface LogJudgement {
  readonly objective: Objective;
  readonly table: LogTable;
  readonly targets: readonly TargetResult[];
  readonly imports: readonly (ImportReport & { readonly file: string })[];
  /** By request instead of by try; `null` where no tries were joined. */
  readonly requests: (JoinedTries & { readonly table: LogTable }) | null;
  readonly whatIfs: readonly { readonly text: string; readonly table: LogTable }[];
}

/** Windows shown on a terminal; the formats for machines hold all. */
const WINDOWS_SHOWN = 48;

/** For people: what was read, the windows, and what they say together. */
export function terminalLogReport(judgement: LogJudgement, width: number): string {
  const { table, objective, targets, whatIfs } = judgement;
  const shown = table.windows.slice(0, WINDOWS_SHOWN);
  const left = table.windows.length - shown.length;
  const nothing = table.total.attainment.offered + table.total.excluded === 0;
  if (nothing) return `${judgement.imports.flatMap((one) => importLines(one, width)).join('\n')}\n`;
  const lines = [
    ...judgement.imports.flatMap((one) => importLines(one, width)),
    '',
    ...wrapped(`Asked: ${objectiveText(objective)}`, width),
    '',
    ...windowLines(shown, table, width),
    ...(left > 0 ? [`… and ${left} more windows: --format csv or json has all`] : []),
    '',
    ...(table.strata.length > 0 ? [...windowLines(table.strata, table, width), ''] : []),
    ...windowLines([table.total], table, width),
    '',
    ...storyOf(table).flatMap((text) => wrapped(text, width)),
    ...requestLines(judgement).flatMap((text) => wrapped(text, width)),
    ...targets.map(targetText).flatMap((text) => wrapped(text, width)),
    ...whatIfLines(judgement, whatIfs).flatMap((text) => wrapped(text, width)),
  ];
  return `${lines.join('\n')}\n`;
}

/** For a pull request or an incident note. */
export function markdownLogReport(judgement: LogJudgement): string {
  const { table, objective, targets, whatIfs } = judgement;
  const rows = [...table.windows, ...table.strata, table.total].map((one) => [
    whereText(one),
    ...windowCells(one),
  ]);
  const lines = [
    `## Judged: ${objectiveText(objective)}`,
    '',
    markdownRow(['window', ...WINDOW_HEAD.slice(0, -1), 'disagreement']),
    markdownRow(['---', ...WINDOW_HEAD.map(() => '---:')]),
    ...rows.map(markdownRow),
    '',
    ...storyOf(table).map((text) => `- ${text}`),
    ...requestLines(judgement).map((text) => `- ${text}`),
    ...targets.map((target) => `- ${targetText(target)}`),
    ...whatIfLines(judgement, whatIfs).map((text) => `- ${text}`),
    ...judgement.imports.flatMap((one) => ['', ...importMarkdown(one)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** What the table says, in sentences. */
export function storyOf(table: LogTable): string[] {
  const { windows, total, budget, targetShare } = table;
  const judged = windows.filter((one) => !one.lowTraffic);
  const misled = judged.filter((one) => one.disagreement === 'panelsPass').length;
  const reversed = judged.filter((one) => one.disagreement === 'panelsMiss').length;
  const few = windows.length - judged.length;
  const { attainment } = total;
  const bounds = attainment.unknownBounds;
  const missed = Object.entries(total.missed).map(([name, count]) => `${name} ${count}`);
  return [
    ...(windows.length === 0
      ? []
      : [
          `Panels: in ${misled} of ${judged.length} windows every p95 is within its limit while fewer than ${targetFigure(targetShare)} of requests met all of them; in ${reversed} a p95 is over and enough met all.` +
            (few === 0 ? '' : ` ${few} windows have too few requests for a share.`),
        ]),
    ...(missed.length === 0 ? [] : [`Missed: ${missed.join(', ')} (a request may miss several).`]),
    ...(attainment.unjudged === 0 || bounds === null
      ? []
      : [
          `Unknown: ${attainment.unjudged} of ${attainment.offered} requests could not be judged; attainment is ${percentText(bounds.low)} with them bad, ${percentText(bounds.high)} with them good.`,
        ]),
    ...intervalLines(table),
    ...(budget === null
      ? []
      : [
          `Budget: ${attainment.offered - attainment.good} missed of ${Math.floor(budget.allowedBad)} that ${targetFigure(targetShare)} allows in this period` +
            (budget.spentShare === null ? '.' : `: ${percentText(budget.spentShare)} spent.`),
        ]),
  ];
}

/** What the interval of the total rests on; without one, why there is none. */
function intervalLines({ total }: LogTable): string[] {
  const { interval, dependence, offered } = total.attainment;
  if (offered === 0) return [];
  if (interval === null || dependence === null) {
    return ['Interval: none, since too little independent traffic was seen to state one.'];
  }
  const { designEffect, batchCount, assumed } = dependence;
  return [
    `Interval: ${shareRange(interval.low, interval.high)} at 95 %, from ${batchCount} stretches of time: requests share queues, so the ${offered} say as much as ${Math.floor(interval.effectiveN)} independent ones would (${designEffect.toFixed(1)} for one${assumed ? ', a cautious figure, since few missed' : ''}).`,
  ];
}

/** What users saw of requests that were tried again, beside the tries. */
export function requestLines({ requests, table }: LogJudgement): string[] {
  if (requests === null) return [];
  const { tries, retried, cutOff } = requests;
  const { good, offered, share } = requests.table.total.attainment;
  const byTry = table.total.attainment.share;
  const text = (of: number | null): string => (of === null ? '-' : percentText(of));
  return [
    `By request: ${tries} tries with an id were ${requests.requests} requests, ${retried} of them tried again. From the first try to the final outcome ${good} of ${offered} requests are good, ${text(share)}; by try ${text(byTry)}.`,
    ...(cutOff === 0
      ? []
      : [
          `${cutOff} unfinished requests were too many to keep: later tries of theirs are not joined.`,
        ]),
  ];
}

/** A target over all requests and what became of it. */
export function targetText({ target, state, reason }: TargetResult): string {
  return `Target ${target}: ${state === 'unknown' ? `not decided (${reason})` : state}`;
}

function whatIfLines({ table }: LogJudgement, whatIfs: LogJudgement['whatIfs']): string[] {
  const now = table.total.attainment.share;
  return whatIfs.map(({ text, table: other }) => {
    const share = other.total.attainment.share;
    const below = other.windows.filter(
      (one) => !one.lowTraffic && (one.attainment.share ?? 1) < other.targetShare,
    );
    const windows =
      other.windows.length === 0
        ? ''
        : `, ${below.length} windows below ${targetFigure(other.targetShare)}`;
    return `What if ${text}: ${share === null ? '-' : percentText(share)} attained (now ${now === null ? '-' : percentText(now)})${windows}`;
  });
}

function importLines(report: LogJudgement['imports'][number], width: number): string[] {
  const { file, title, requests, rejected, samples, fields } = report;
  return [
    ...wrapped(`${file}: ${title}, ${requests} requests, ${rejected} broken rows`, width),
    ...samples.flatMap(({ line, reason }) => indented(`line ${line}: ${reason}`, width)),
    ...alignedWithin(
      fields.map((field) => [`  ${field.field}`, ...coverageOf(field, requests)]),
      width,
    ),
    ...findingsOf(report).flatMap((text) => wrapped(`FOUND ${text}`, width)),
  ];
}

function indented(text: string, width: number): string[] {
  return wrapped(text, width - 2).map((line) => `  ${line}`);
}

function importMarkdown(report: LogJudgement['imports'][number]): string[] {
  const { file, title, requests, rejected, fields } = report;
  return [
    `### ${printable(file)}: ${title}`,
    '',
    `${requests} requests, ${rejected} broken rows.`,
    '',
    markdownRow(['field', 'how', 'rows', 'from']),
    markdownRow(['---', '---', '---:', '---']),
    ...fields.map((field) => markdownRow([field.field, ...coverageOf(field, requests)])),
    ...findingsOf(report).map((text) => `\n**Found:** ${text}`),
  ];
}

/** How a field is known, in what share of the requests, and from what. */
export function coverageOf(field: ImportReport['fields'][number], requests: number): string[] {
  const share = requests === 0 ? 0 : field.present / requests;
  return [field.how, field.how === 'absent' ? '-' : percentText(share), field.from];
}

const FAULTS = {
  tpotIncludesTtft:
    'the time per token it gives is whole time / tokens: the wait for the first token is in it',
  tpotHalf: 'the time per token it gives is half of (end − first token) / (tokens − 1)',
  tpotIsWholeAnswer:
    'the time per token it gives is that of the whole answer: one chunk was taken for one token',
  tpotDiffers: 'the time per token it gives is not (end − first token) / (tokens − 1)',
  ttftIsEnd: 'the first token is stamped with the end of the answer: TTFT is taken as unknown',
} as const;

/** Where the source contradicts itself. */
export function findingsOf({ findings }: ImportReport): string[] {
  return findings.map(
    ({ fault, rows, checked, ratioMean }) =>
      `${FAULTS[fault]}, in ${rows} of ${checked} rows` +
      (ratioMean === null ? '' : ` (${ratioMean.toFixed(2)} times the true value)`),
  );
}

/** The start of a window and its labels; `all` where it is cut by neither. */
export function whereText({ fromUs, stratum }: LogWindow): string {
  const words = [...(fromUs === null ? [] : [isoInstant(fromUs)]), ...Object.values(stratum)];
  return words.length === 0 ? 'all' : words.join(' ');
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => printable(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
