/** The viewer's pages, loaded only by who serves them. */
import type * as pages from './view/index.ts';

export type { ListedRun } from './view/index.ts';

export type ViewPages = typeof pages;

export function viewPages(): Promise<ViewPages> {
  return import('./view/index.ts');
}
