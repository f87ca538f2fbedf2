/** The first page of the viewer: the runs of a folder, to search, open and compare. */
import { markup, type Markup } from '../../base/index.ts';
import type { Manifest } from '../../record/index.ts';
import type { Summary } from '../../summary/index.ts';
import { sureShareFigure } from '../certainty.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { verdictWord } from '../words.ts';
import { runPath, type ViewPage, viewPage } from './view-page.ts';

export interface ListedRun {
  readonly name: string;
  readonly manifest: Manifest;
  /** `null` while it runs, and when it crashed. */
  readonly summary: Summary | null;
}

/** What matters most first: a phone shows the first few. */
const COLUMNS = ['run', 'verdict', 'attained', 'good /s', 'load', 'n', 'model', 'started'];

/** `search` = words that all must be in a run's row; empty = all runs. */
export function runsPage(
  runs: readonly ListedRun[],
  search: string,
  page: Omit<ViewPage, 'title' | 'main'>,
): string {
  const rows = runs.map(cellsOf);
  const words = search.toLowerCase().split(/\s+/);
  const shown = rows
    .map((cells, at) => ({ cells, name: runs[at]?.name ?? '' }))
    .filter(({ cells }) => {
      const text = cells.join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const main = markup`<form class="tools" method="get" action="/"><div><label for="q">Search runs: name, model, load, verdict</label><input type="search" id="q" name="q" value="${search}"></div><button type="submit">Search</button></form>
<p role="status" aria-live="polite">${`${shown.length} of ${runs.length} runs`}</p>
<form method="get" action="/compare" data-runs=""><div class="scroll" tabindex="0" role="region" aria-label="Runs"><table><thead><tr><th scope="col"><span class="hidden">compare</span></th>${COLUMNS.map((column, at) => markup`<th scope="col" class="${at === 0 ? 'name' : ''}">${column}</th>`)}</tr></thead>
<tbody>${shown.map(({ cells, name }) => runRow(cells, name))}</tbody></table></div>
<p><button type="submit">Compare the chosen runs</button></p></form>`;
  return viewPage({ ...page, title: 'Runs', main, home: true });
}

function runRow([name = '', ...cells]: readonly string[], id: string): Markup {
  return markup`<tr><td><input type="checkbox" name="run" value="${id}" aria-label="${`Compare ${name}`}"></td><th scope="row" class="name"><a href="${runPath(id)}">${name}</a></th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
}

function cellsOf({ name, manifest, summary }: ListedRun): string[] {
  const { model } = manifest.facts;
  const modelText = model.from !== 'unknown' && typeof model.value === 'string' ? model.value : '–';
  const started = manifest.startedAt.slice(0, 19).replace('T', ' ');
  const points = summary?.points ?? [];
  const [only] = points;
  const load =
    points.length === 1 ? (only?.load.label ?? '–') : `${countFigure(points.length)} loads`;
  if (summary === null || only === undefined) {
    const label = manifest.points.at(-1)?.label ?? '–';
    return [name, 'no result yet', '–', '–', label, '–', modelText, started];
  }
  const offered = points.reduce((sum, point) => sum + point.ledger.scheduled, 0);
  const good = points.flatMap((point) => point.goodputRps ?? []);
  return [
    name,
    verdictWord(summary),
    points.length === 1 ? sureShareFigure(only.attainment) : '–',
    good.length === 0 ? '–' : levelFigure(Math.max(...good)),
    load,
    countFigure(offered),
    modelText,
    started,
  ];
}
