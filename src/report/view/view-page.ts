/** The frame of the viewer's pages: the same document as a report, with its own style and script. */
import { markup, type Markup } from '../../base/index.ts';
import { htmlDocument } from '../../page/index.ts';
import { VIEW_SCRIPT, VIEW_STYLE } from './view-look.ts';

export interface ViewPage {
  readonly title: string;
  readonly main: Markup;
  /** What the page's script must show to have anything computed. */
  readonly token: string;
  readonly toolVersion: string;
  /** Whether this is the page that the others lead back to. */
  readonly home?: boolean;
}

export function viewPage({ title, main, token, toolVersion, home = false }: ViewPage): string {
  return htmlDocument({
    title,
    sections: [],
    main: markup`<meta name="goodput-token" content="${token}">${home ? null : markup`<p><a href="/">All runs</a></p>`}<h1>${title}</h1>${main}`,
    footer: markup`<p>goodput ${toolVersion} · served to this machine alone</p>`,
    extra: { connect: true, script: VIEW_SCRIPT, style: VIEW_STYLE },
  });
}

/** Where a run's pages are. */
export function runPath(name: string): string {
  return `/run/${encodeURIComponent(name)}`;
}

/** Something that could not be shown, in words. */
export function problemPage(text: string, page: Omit<ViewPage, 'title' | 'main'>): string {
  return viewPage({ ...page, title: 'goodput view', main: markup`<p role="status">${text}</p>` });
}
