/** The viewer's pages, as text: what the server in the `viewer` room serves. */
export * from './run-page.ts';
export * from './runs-page.ts';
export * from './view-page.ts';
