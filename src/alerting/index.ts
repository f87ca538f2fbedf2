/**
 * `alerting`: an objective → alerts on its error budget, as text for Prometheus, promtool,
 * Alertmanager, Grafana, Sloth and OpenSLO. Start with `burn-alert.ts` (which windows, which
 * factors, how soon they fire) and `alert-plan.ts` (what is watched); one file per output.
 * Writes no file and asks no server.
 */
export * from './alert-folder.ts';
export * from './alert-plan.ts';
export * from './burn-alert.ts';
export * from './counter-family.ts';
export * from './fire-times.ts';
export * from './lint-rules.ts';
export * from './read-openslo.ts';
export * from './read-sloth.ts';
