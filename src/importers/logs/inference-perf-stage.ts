/**
 * inference-perf's `stage_N_lifecycle_metrics.json` and its summary: figures over all requests and
 * no request to judge. What can be checked is whether its own means fit each other.
 */
import { NS_PER_SECOND } from '../../base/index.ts';
import { NOTHING_LOGGED, claimFault, type SourceFinding } from '../../logs/index.ts';
import type { LogFormat } from './log-format.ts';
import { numberAt, objectAt, type LogObject } from './log-values.ts';

export const inferencePerfStageFormat: LogFormat = {
  name: 'inference-perf-stage',
  title: 'inference-perf stage report (no single requests)',
  fields: {},
  recognises: (value) => 'load_summary' in value && 'successes' in value,
  read: () => [],
  findings,
};

function findings(document: LogObject): SourceFinding[] {
  const successes = objectAt(document, 'successes');
  const latency = objectAt(successes, 'latency');
  const mean = (of: LogObject, name: string): number | null => numberAt(objectAt(of, name), 'mean');
  const ns = (name: string): number | null => {
    const seconds = mean(latency, name);
    return seconds === null ? null : seconds * NS_PER_SECOND;
  };
  const claim = claimFault({
    ...NOTHING_LOGGED,
    ttftNs: ns('time_to_first_token'),
    e2eNs: ns('request_latency'),
    outputTokens: mean(successes, 'output_len'),
    claimedTpotNs: ns('time_per_output_token'),
  });
  if (claim === undefined || claim.fault === null) return [];
  const count = numberAt(successes, 'count') ?? 0;
  return [{ fault: claim.fault, rows: count, checked: count, ratioMean: claim.ratio }];
}
