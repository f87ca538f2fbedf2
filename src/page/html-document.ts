/** One HTML file that needs nothing else: no network, no scripts, no fonts. */
import { createHash } from 'node:crypto';
import { markup, type Markup, trustedMarkup } from '../base/index.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

export interface PageParts {
  /** Of the window and of bookmarks. */
  readonly title: string;
  /** Links to the page's sections, for the bar on top. */
  readonly sections: readonly { readonly id: string; readonly name: string }[];
  readonly main: Markup;
  readonly footer: Markup;
  /**
   * What a page asks beyond a report: `connect` lets it fetch from its own origin (the viewer),
   * `script` is more script text, `style` more style. Empty for a file.
   */
  readonly extra: PageExtra;
}

export interface PageExtra {
  readonly connect: boolean;
  readonly script: string;
  readonly style: string;
}

export const NO_EXTRA: PageExtra = { connect: false, script: '', style: '' };

/** The document. Its policy lets nothing in but its own style and scripts, by their hashes. */
export function htmlDocument({ title, sections, main, footer, extra }: PageParts): string {
  const style = `${PAGE_STYLE}${extra.style}`;
  const script = `${PAGE_SCRIPT}${extra.script}`;
  const links = sections.map(({ id, name }) => markup`<a href="#${id}">${name}</a>`);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(style, script, extra)}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${trustedMarkup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the result</a>
<header class="bar"><nav aria-label="Sections">${links}</nav><button type="button" class="scripted" data-action="theme">Light / dark</button></header>
<main id="main">
${main}
</main>
<footer>${footer}</footer>
<script>${trustedMarkup(script)}</script>
</body>
</html>
`.text;
}

/**
 * The Content-Security-Policy of such a page. Scripts and styles run by hash alone, so text that
 * slipped through escaping still could not run.
 */
export function contentPolicy(style: string, script: string, { connect }: PageExtra): string {
  return [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    'img-src data:',
    ...(connect ? ["connect-src 'self'", "form-action 'self'"] : ["form-action 'none'"]),
    "base-uri 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
