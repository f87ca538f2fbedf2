/** The viewer's pages, loaded only by who serves them. */
export type { ListedRun } from './view/index.ts';

export type ViewPages = typeof import('./view/index.ts');

export function viewPages(): Promise<ViewPages> {
  return import('./view/index.ts');
}
