/** Judged logs as one page: what they came to, over time, and what was read. */
import { durationText, markup, type Markup, NS_PER_US } from '../../base/index.ts';
import type { Chart, ChartTable } from '../../charts/index.ts';
import { type LogWindow, isoInstant } from '../../logs/index.ts';
import { chartFigure, figuresTable, htmlDocument, NO_EXTRA } from '../../page/index.ts';
import { objectiveText } from '../../slo/index.ts';
import { countFigure, shareFigure, shareRange, targetFigure } from '../figures.ts';
import {
  coverageOf,
  findingsOf,
  type LogJudgement,
  requestLines,
  storyOf,
  targetText,
  whereText,
} from '../log-report.ts';
import { panelText } from '../log-window-lines.ts';
import { budgetChart, burnChart, panelChart, windowAttainmentChart } from './log-charts.ts';
import { type Section, sectionMarkup } from './section.ts';

/** Rows of a table that people still read; `--format csv` has all. */
const ROWS_SHOWN_MAX = 200;

/** One self-contained HTML file; pure, of the figures of the judgement alone. */
export function logPage(judgement: LogJudgement, toolVersion: string): string {
  const { table, whatIfs } = judgement;
  const sections: Section[] = [
    { id: 'verdict', name: 'Verdict', body: verdictBody(judgement) },
    { id: 'windows', name: 'Windows', body: windowsBody(judgement) },
    ...(table.windows.length === 0
      ? []
      : [{ id: 'panels', name: 'Separate p95s', body: panelsBody(judgement) }]),
    { id: 'budget', name: 'Error budget', body: budgetBody(judgement) },
    ...(whatIfs.length === 0
      ? []
      : [{ id: 'what-if', name: 'What if', body: whatIfBody(judgement) }]),
    { id: 'read', name: 'What was read', body: readBody(judgement) },
    { id: 'settings', name: 'Settings', body: settingsBody(judgement) },
  ];
  const title = `${verdictOf(judgement).word}: ${countFigure(table.total.attainment.offered)} logged requests`;
  return htmlDocument({
    title,
    sections,
    main: markup`<h1>${title}</h1>${sections.map(sectionMarkup)}`,
    footer: markup`<p>goodput ${toolVersion}. p95s are within 1 %, whether they pass is by count; hollow marks make no claim. This file needs no network and no scripts.</p>`,
    extra: NO_EXTRA,
  });
}

interface Verdict {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'doubt';
  readonly sentence: string;
}

function verdictOf({ targets, table }: LogJudgement): Verdict {
  const { interval } = table.total.attainment;
  if (targets.length === 0) {
    const sentence = 'Figures without a target: nothing was to be met.';
    return { word: 'JUDGED', tone: 'doubt', sentence };
  }
  if (targets.some(({ state }) => state === 'missed')) {
    return { word: 'MISSED', tone: 'bad', sentence: 'The service missed its objective.' };
  }
  if (targets.some(({ state }) => state === 'unknown')) {
    const sentence = 'The logs do not tell whether the service met its objective.';
    return { word: 'NOT DECIDED', tone: 'doubt', sentence };
  }
  const proven = interval !== null && interval.low >= table.targetShare;
  const sure = proven ? 'proven at 95 %' : 'likely, not proven';
  const sentence = `The service met its objective (${sure}).`;
  return { word: 'MET', tone: proven ? 'good' : 'doubt', sentence };
}

function verdictBody(judgement: LogJudgement): Markup {
  const { word, tone, sentence } = verdictOf(judgement);
  const { table, targets, objective } = judgement;
  const { good, offered } = table.total.attainment;
  const counts = `${countFigure(good)} of ${countFigure(offered)} offered requests`;
  return markup`<div class="verdict ${tone}">
<p><strong class="${`word-${tone}`}">${word}</strong> ${sentence}</p>
${listOf(targets.map(targetText))}
<p>Good: ${counts}, ${attainedText(table.total)}.</p>
</div>
<p>Asked of every request and of the whole: <code>${objectiveText(objective)}</code></p>
${listOf([...storyOf(table), ...requestLines(judgement)])}`;
}

function windowsBody({ table }: LogJudgement): Markup {
  const { windows, strata, total } = table;
  const few = windows.filter(({ lowTraffic }) => lowTraffic).length;
  const note = `${countFigure(windows.length)} windows, ${countFigure(total.attainment.offered)} requests; unknown is never good. ${countFigure(few)} windows have too few requests for a share and are not drawn. Of many strata the six largest are drawn.`;
  return markup`${windows.length === 0 ? markup`<p>Not cut by time: <code>--by</code> names no length of a window.</p>` : charted([[windowAttainmentChart(table), note]])}
${figuresTable(windowTableOf([...strata, total]), 'The whole period')}
${windows.length === 0 ? null : markup`<details data-print=""><summary>Every window</summary>${longTable(windows, 'Every window')}</details>`}`;
}

function panelsBody({ table, objective }: LogJudgement): Markup {
  const misled = table.windows.filter(({ disagreement }) => disagreement === 'panelsPass');
  const note = 'Each panel alone, of completed requests, beside its limit.';
  const drawn = (['ttft', 'tpot'] as const).flatMap((measure): [Chart, string][] => {
    const chart = panelChart(measure, table, objective);
    return chart === null ? [] : [[chart, note]];
  });
  return markup`<p>Each p95 lets 5 % of the requests through, and they need not be the same ones.</p>
${charted(drawn)}
<h3>Panels green, objective missed</h3>
${misled.length === 0 ? markup`<p>In no window is every p95 within its limit while too few requests met all of them.</p>` : longTable(misled, 'Panels green, objective missed')}`;
}

function budgetBody({ table }: LogJudgement): Markup {
  const { budget, total, windows, targetShare } = table;
  if (budget === null) {
    return markup`<p>The objective has no attainment target, so there is no budget of misses.</p>`;
  }
  const { offered, good } = total.attainment;
  const { spentShare, allowedBad } = budget;
  const spent =
    spentShare === null
      ? 'no miss is allowed'
      : `${shareFigure(spentShare)} of the budget is spent`;
  const note = `Target ${targetFigure(targetShare)}; unknown counts as missed. From counts of all strata together.`;
  return markup`<p>${countFigure(offered - good)} missed of ${countFigure(Math.floor(allowedBad))} that ${targetFigure(targetShare)} allows in this period: ${spent}.</p>
${
  windows.length === 0
    ? null
    : charted([
        [budgetChart(table), note],
        [burnChart(table), `${note} At 1× the budget lasts exactly its period.`],
      ])
}`;
}

function whatIfBody({ whatIfs, table, objective }: LogJudgement): Markup {
  const rows = [{ text: `as asked: ${objectiveText(objective)}`, table }, ...whatIfs].map((one) => {
    const { total, windows, targetShare } = one.table;
    const judged = windows.filter(({ lowTraffic }) => !lowTraffic);
    const below = judged.filter(({ attainment }) => (attainment.share ?? 1) < targetShare);
    return [
      one.text,
      attainedText(total),
      `${total.attainment.good}/${total.attainment.offered}`,
      shareFigure(targetShare),
      `${below.length} of ${judged.length}`,
      shareFigure(one.table.budget?.spentShare ?? null),
    ];
  });
  const columns = ['terms', 'attained', 'good/offered', 'target', 'windows below', 'budget spent'];
  return figuresTable({ columns, rows }, 'What if');
}

function readBody({ imports }: LogJudgement): Markup {
  return markup`${imports.map((report) => {
    const { file, title, requests, rejected, samples, fields } = report;
    const rows = fields.map((field) => [field.field, ...coverageOf(field, requests)]);
    return markup`<h3>${file}</h3>
<p>${title}: ${countFigure(requests)} requests, ${countFigure(rejected)} broken rows.</p>
${listOf(samples.map(({ line, reason }) => `line ${line}: ${reason}`))}
${listOf(findingsOf(report).map((text) => `Found: ${text}`))}
${figuresTable({ columns: ['field', 'how', 'rows', 'from'], rows }, 'Coverage')}`;
  })}`;
}

function settingsBody({ objective, table, imports, whatIfs }: LogJudgement): Markup {
  const { windowUs, keys } = table.by;
  const starts = table.windows.flatMap(({ fromUs }) => fromUs ?? []);
  const ends = table.windows.flatMap(({ toUs }) => toUs ?? []);
  const [first, last] = [starts[0], ends.at(-1)];
  const facts = [
    ['objective', objectiveText(objective)],
    ['window', windowUs === null ? 'none' : durationText(windowUs * NS_PER_US)],
    ['split by', keys.length === 0 ? 'nothing' : keys.join(', ')],
    ...(first === undefined || last === undefined
      ? []
      : [['windows from, to', `${isoInstant(first)} to ${isoInstant(last)}`]]),
    ['what if', whatIfs.length === 0 ? 'not asked' : whatIfs.map(({ text }) => text).join('; ')],
    ['files', imports.map(({ file }) => file).join(', ')],
  ].map(
    ([name = '', value = '']) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  );
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="Settings"><table class="words"><thead><tr><th scope="col">setting</th><th scope="col">value</th></tr></thead><tbody>${facts}</tbody></table></div>`;
}

function charted(drawn: readonly (readonly [Chart, string])[]): Markup {
  return markup`<div class="charts">${drawn.map(([chart, note]) => chartFigure(chart, note))}</div>`;
}

function listOf(lines: readonly string[]): Markup | null {
  return lines.length === 0
    ? null
    : markup`<ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul>`;
}

function longTable(windows: readonly LogWindow[], name: string): Markup {
  const left = windows.length - ROWS_SHOWN_MAX;
  const more = `… and ${countFigure(Math.max(0, left))} more: --format csv has all.`;
  return markup`${figuresTable(windowTableOf(windows.slice(0, ROWS_SHOWN_MAX)), name)}${left > 0 ? markup`<p class="soft">${more}</p>` : null}`;
}

function windowTableOf(windows: readonly LogWindow[]): ChartTable {
  return {
    columns: ['window', 'attained', 'good/offered', 'unjudged', 'TTFT p95', 'TPOT p95', 'mark'],
    rows: windows.map((one) => [
      whereText(one),
      attainedText(one),
      `${one.attainment.good}/${one.attainment.offered}`,
      one.attainment.unjudged,
      panelText(one.ttft),
      panelText(one.tpot),
      markOf(one),
    ]),
  };
}

function markOf({ disagreement }: LogWindow): string {
  if (disagreement === null) return '';
  return disagreement === 'panelsPass' ? 'panels green, missed' : 'panel red, met';
}

/** `91.7 % (84.7–96.2 %)`; counts alone make no claim. */
function attainedText({ attainment, lowTraffic }: LogWindow): string {
  const { share, interval } = attainment;
  if (lowTraffic || share === null) return 'too few for a share';
  if (interval === null) return `~${shareFigure(share)}`;
  return `${shareFigure(share)} (${shareRange(interval.low, interval.high)})`;
}
