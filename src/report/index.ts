/**
 * `report`: a summary as text for people. Start with `terminal-report.ts` and `markdown-report.ts`;
 * `words.ts` holds the sentences both share, `figures.ts` how numbers are written.
 */
export * from './terminal-report.ts';
