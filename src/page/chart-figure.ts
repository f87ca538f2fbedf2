/** A chart on a page: its picture, its words, its figures as a table and as a file. */
import { markup, type Markup, trustedMarkup } from '../base/index.ts';
import { type Chart, type ChartTable, csvText } from '../charts/index.ts';

/** More rows are a file to download, not a table to read. */
const TABLE_ROWS_MAX = 60;

/** `note`: n, coverage and what the reader must know of it. */
export function chartFigure(chart: Chart, note: string): Markup {
  const { name, title, svg, table } = chart;
  const href = `data:text/csv;base64,${Buffer.from(csvText(table), 'utf8').toString('base64')}`;
  return markup`<figure id="${name}">
<h3>${title}</h3>
${svg}
<figcaption>${note}</figcaption>
<div class="get"><a href="${trustedMarkup(href)}" download="${name}.csv">CSV<span class="hidden"> of ${title}</span></a><button type="button" class="scripted" data-save="svg" data-name="${name}" aria-label="${`SVG of ${title}`}">SVG</button><button type="button" class="scripted" data-save="png" data-name="${name}" aria-label="${`PNG of ${title}`}">PNG</button></div>
${table.rows.length <= TABLE_ROWS_MAX ? dataTable(table, title) : null}
</figure>`;
}

function dataTable(table: ChartTable, title: string): Markup {
  return markup`<details><summary>Figures<span class="hidden"> of ${title}</span></summary>${figuresTable(table, title)}</details>`;
}

/** A table that scrolls by itself on a small screen, by keyboard too. */
export function figuresTable({ columns, rows }: ChartTable, name: string): Markup {
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="${name}"><table><thead><tr>${columns.map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead><tbody>${rows.map(rowOf)}</tbody></table></div>`;
}

function rowOf(row: ChartTable['rows'][number]): Markup {
  const [first = '', ...rest] = row.map(cellText);
  return markup`<tr><th scope="row">${first}</th>${rest.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
}

/** Four digits are all that a reader takes from a table; the file has the rest. */
function cellText(cell: string | number | null): string {
  if (typeof cell === 'string') return cell;
  return cell === null ? '–' : String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(4)));
}
