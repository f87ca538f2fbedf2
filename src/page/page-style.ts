/** The style sheet of every page of ours: a report as a file, and the viewer's pages. */
import { CHART_STYLE, THEME_STYLE } from '../charts/index.ts';

const LAYOUT = `
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:1280px;margin:0 auto;padding:0 16px}
h1{font-size:1.6rem;line-height:1.25;margin:1rem 0 .5rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;border-bottom:1px solid var(--rule);padding-bottom:.25rem}
h3{font-size:1.05rem;margin:1.5rem 0 .25rem}p{margin:.5rem 0}ul{padding-left:1.25rem}
a{color:var(--c0)}a:focus-visible,button:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--c0);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--page);padding:8px;z-index:1}
.bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;border-bottom:1px solid var(--rule);padding-top:8px;padding-bottom:8px}
.bar nav{display:flex;flex-wrap:wrap;gap:4px 14px;flex:1}
button{font:inherit;font-size:.875rem;color:var(--ink);background:var(--panel);border:1px solid var(--soft);border-radius:4px;padding:2px 10px;cursor:pointer}
.verdict{border-left:6px solid var(--wait);background:var(--panel);padding:8px 16px;margin:1rem 0}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}.verdict.doubt{border-color:var(--doubt)}
.verdict strong{font-size:1.15rem}.word-good{color:var(--good)}.word-bad{color:var(--bad)}.word-doubt{color:var(--doubt)}
.soft,figcaption,footer{color:var(--soft);font-size:.9rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:8px 24px}
figure{margin:1rem 0 .5rem;min-width:0}figure svg{width:100%;max-width:560px;height:auto;display:block;overflow:visible}
figure h3{margin:0 0 .25rem}.get{display:flex;flex-wrap:wrap;gap:4px 12px;font-size:.875rem;align-items:center}
details{margin:.25rem 0}summary{cursor:pointer;color:var(--soft);font-size:.9rem}
.scroll{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:3px 8px;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
table.words td{text-align:left;white-space:normal;overflow-wrap:anywhere}table.words th{text-align:left}
pre{background:var(--panel);padding:8px 12px;overflow-x:auto;font-size:.85rem}code{overflow-wrap:anywhere}
p,li,h1,h2,h3,dd{overflow-wrap:anywhere}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.scripted{display:none}[data-scripts] .scripted{display:revert}
@media print{.bar,.get,.skip{display:none}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}details::details-content{content-visibility:visible;block-size:auto}body{font-size:11pt}}
`;

/** A chart is drawn smaller on a phone, so its words are written larger. */
const SMALL =
  '@media (max-width:520px){h1{font-size:1.3rem}.chart{font-size:15.5px}.chart .tick{font-size:14.5px}}';

export const PAGE_STYLE: string = `${THEME_STYLE}${LAYOUT}${CHART_STYLE}${SMALL}`;
