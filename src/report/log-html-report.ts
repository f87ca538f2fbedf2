/** The judgement of logs as one HTML file; its drawing code is loaded when it is first asked for. */
import type { LogJudgement } from './log-report.ts';

/** Verdict, windows, the separate p95s, the budget, what-ifs, and what was read, top-down. */
export async function htmlLogReport(judgement: LogJudgement, toolVersion: string): Promise<string> {
  const { logPage } = await import('./html/log-page.ts');
  return logPage(judgement, toolVersion);
}
