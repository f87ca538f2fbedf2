/** Whether the answer was an answer at all: ended, for an allowed reason, with what is needed. */
import type { RequestRecord } from '../record/index.ts';
import type { ObjectiveResult, Outcome } from './judgement.ts';
import type { Objective } from './objective.ts';

/** What correctness says of one request, with a machine word unless it is met. */
interface Finding {
  readonly state: 'met' | 'missed' | 'unknown';
  readonly reason: string | null;
}

const MET: Finding = { state: 'met', reason: null };

/** Judges the correctness part. A fault weighs more than something unknown. */
export function judgeCorrectness(
  record: RequestRecord,
  outcome: Outcome,
  objective: Objective,
): ObjectiveResult {
  const findings =
    outcome === 'completed'
      ? answerFindings(record, objective.request.correctness)
      : [cutFinding(outcome, objective.timedOut)];
  const { state, reason } =
    findings.find((finding) => finding.state === 'missed') ??
    findings.find((finding) => finding.state === 'unknown') ??
    MET;
  return { objective: 'correctness', state, observed: null, limit: null, reason };
}

/** An answer that did not complete: the service's fault, unless we stopped it ourselves. */
function cutFinding(outcome: Outcome, timedOut: Objective['timedOut']): Finding {
  const weStoppedIt =
    outcome === 'cancelled' || (outcome === 'timedOut' && timedOut === 'censored');
  return { state: weStoppedIt ? 'unknown' : 'missed', reason: outcome };
}

function answerFindings(
  record: RequestRecord,
  wanted: Objective['request']['correctness'],
): Finding[] {
  return [
    endFinding(record, wanted.strictTerminal),
    finishFinding(record, wanted.finish),
    contentFinding(record, wanted.needs),
    ...wanted.checks.map((check) => checkFinding(record, check.name)),
  ];
}

function endFinding(record: RequestRecord, strictTerminal: boolean): Finding {
  return !strictTerminal || sawTerminal(record) ? MET : absent(record, 'noTerminal');
}

function finishFinding(record: RequestRecord, allowed: readonly string[]): Finding {
  const reason = record.timeline?.finishReason ?? null;
  if (reason === null) {
    return sawTerminal(record)
      ? { state: 'missed', reason: 'noFinishReason' }
      : absent(record, 'noFinishReason');
  }
  return allowed.includes(reason) ? MET : { state: 'missed', reason: `finish:${reason}` };
}

function contentFinding(record: RequestRecord, needs: readonly string[]): Finding {
  const kinds = record.timeline?.output.kind ?? [];
  if (kinds.some((kind) => needs.includes(kind))) return MET;
  if (kinds.length === 0) return absent(record, 'noOutput');
  return { state: 'missed', reason: `no:${needs.join('/')}` };
}

function sawTerminal(record: RequestRecord): boolean {
  return record.timeline !== null && record.timeline.terminalNs !== null;
}

function checkFinding(record: RequestRecord, name: string): Finding {
  const result = record.checks.find((check) => check.name === name);
  // The text is gone by now, so a check that was not made in the run can never be.
  if (result === undefined) return { state: 'unknown', reason: `notChecked:${name}` };
  return result.passed ? MET : { state: 'missed', reason: `check:${name}` };
}

/** Something a measured record lacks was not sent; an imported one may only not have logged it. */
function absent(record: RequestRecord, reason: string): Finding {
  return { state: record.source === 'imported' ? 'unknown' : 'missed', reason };
}
