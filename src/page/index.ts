/**
 * `page`: what a run came to as one HTML file. Start with `html-document.ts` (the file) and
 * `chart-figure.ts` (a chart on it). Escaping is `base/markup.ts`; pictures are the `charts` room's.
 */
export * from './chart-figure.ts';
export * from './html-document.ts';
