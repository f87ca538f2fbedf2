/** How charts look, light and dark: one place for every colour. */
import { markup, type Markup, trustedMarkup } from '../base/index.ts';
import type { Chart } from './chart.ts';

/**
 * Series colours differ in hue and in lightness, and lines also in dashes, so that no reader needs
 * colour to tell them apart. Each has at least 3:1 against its page (WCAG 1.4.11), text 4.5:1.
 */
const LIGHT =
  '--page:#fff;--ink:#1b1f24;--soft:#59636e;--rule:#d5dae0;--panel:#f5f7f9;' +
  '--good:#146c3c;--bad:#b3261e;--doubt:#7a5200;--wait:#8a939d;' +
  '--c0:#0b5cad;--c1:#b34700;--c2:#00765a;--c3:#8a3b8f;--c4:#6b5a00;--c5:#a8195c;--c6:#276b86;--c7:#555d66';
const DARK =
  '--page:#12161b;--ink:#e8ebee;--soft:#a7b0ba;--rule:#39414a;--panel:#1b2128;' +
  '--good:#5fd08f;--bad:#ff8a80;--doubt:#e6b450;--wait:#78828d;' +
  '--c0:#6bb3f7;--c1:#f5a05c;--c2:#46caa3;--c3:#d79fe2;--c4:#d8c350;--c5:#f48ab8;--c6:#8ed0e8;--c7:#b9c0c8';

/** Colours as custom properties of `root`; follows the system unless `data-theme` says which. */
export const THEME_STYLE =
  `:root{color-scheme:light dark;${LIGHT}}` +
  `@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}` +
  `:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark;${DARK}}` +
  `@media print{:root,:root[data-theme=dark],:root:not([data-theme=light]){color-scheme:light;${LIGHT}}}`;

const SERIES = Array.from(
  { length: 8 },
  (_, at) =>
    `.chart .s${at}{--c:var(--c${at})}.chart .line.s${at}{stroke-dasharray:${['none', '7 3', '2 3', '9 3 2 3'][at % 4]}}`,
).join('');

/** What the classes inside a chart mean. */
export const CHART_STYLE =
  '.chart{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink)}' +
  '.chart .grid{stroke:var(--rule);stroke-width:1}.chart .axis{stroke:var(--soft);stroke-width:1}' +
  '.chart .tick{fill:var(--soft)}.chart .name{fill:var(--ink);font-weight:600}' +
  '.chart .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}' +
  '.chart .dot{fill:var(--c);stroke:var(--page);stroke-width:1}' +
  '.chart .hollow{fill:var(--page);stroke:var(--c);stroke-width:2}' +
  '.chart .whisker{stroke:var(--c);stroke-width:1.5;fill:none}' +
  '.chart .area{fill:var(--c);opacity:.25}.chart .fill{fill:var(--c)}' +
  '.chart .limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 4;fill:none}' +
  '.chart .limit-text{fill:var(--bad)}.chart .target{stroke:var(--good);stroke-width:1.5;stroke-dasharray:8 4;fill:none}' +
  '.chart .target-text{fill:var(--good)}.chart .halo{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}' +
  '.chart .good{--c:var(--good)}.chart .bad{--c:var(--bad)}.chart .doubt{--c:var(--doubt)}.chart .wait{--c:var(--wait)}' +
  SERIES;

/** The chart as a file of its own: its colours inside, on a page of their own. */
export function standaloneSvg({ svg }: Chart): string {
  const style = trustedMarkup(`${THEME_STYLE}${CHART_STYLE}`.replaceAll('>', '&gt;'));
  const page = markup`<style>${style}</style><rect width="100%" height="100%" fill="var(--page)"/>`;
  return `${afterOpenTag(svg, page)}\n`;
}

function afterOpenTag({ text }: Markup, inner: Markup): string {
  const end = text.indexOf('>') + 1;
  return `${text.slice(0, end)}${inner.text}${text.slice(end)}`;
}
