/**
 * `report`: a summary as text for people. Start with `terminal-report.ts`, `markdown-report.ts` and
 * `html-report.ts`;
 * `words.ts` holds the sentences both share, `figures.ts` how numbers are written.
 */
export { chromeTrace, type TracedPoint, type TraceEvent, traceEvery } from './chrome-trace.ts';
export * from './doctor-report.ts';
export * from './html-report.ts';
export * from './markdown-report.ts';
export * from './pareto-report.ts';
export * from './pull-request.ts';
export * from './simulated-beside.ts';
export * from './terminal-report.ts';
export { k6Prompts, type K6Prompt } from './k6-prompts.ts';
export * from './k6-script.ts';
export { changeWords } from './comparison-words.ts';
export { junitComparison } from './junit-comparison.ts';
export * from './live-view.ts';
export * from './progress-event.ts';
export * from './markdown-comparison.ts';
export * from './terminal-comparison.ts';
export { costText, secondsText } from './capacity-words.ts';
export { terminalCapacity } from './terminal-capacity.ts';
export { levelText } from './words.ts';
export { csvLogReport } from './log-csv.ts';
export { type LogJudgement, markdownLogReport, terminalLogReport } from './log-report.ts';
export * from './log-html-report.ts';
export * from './view-pages.ts';
export { aligned as alignedRows } from './layout.ts';
export * from './bridge-report.ts';
export * from './budget-report.ts';
export * from './spans-report.ts';
export * from './gate-report.ts';
