/** What must hold between the keys of sessions. */
import type { Problem } from '../base/index.ts';
import { loadKindOf, workloadKindOf } from './exclusive-keys.ts';
import { valueAt, type KeyPath, type Written } from './key-path.ts';
import { howToWrite, problemAt, subjectOf } from './problem-at.ts';
import type { ReadSections } from './run-file-schema.ts';
import type { TraceFormat } from './run-spec.ts';

const SESSION_RATE = ['load', 'sessionRate'];

/** Sessions and the rate they come at go together, each with its own times. */
export function sessionProblems({ workload }: ReadSections, written: Written): Problem[] {
  const format = workload?.trace?.format ?? null;
  return [...pairProblems(format, written), ...traceProblems(format, written)];
}

function pairProblems(format: TraceFormat | null, written: Written): Problem[] {
  const workload = workloadKindOf(written.tree);
  const load = loadKindOf(written.tree);
  const ofTrace = format !== null && format !== 'azure' && format !== 'mooncake';
  const hasSessions = workload === 'turns' || workload === 'sharegpt' || ofTrace;
  if (load === 'sessionRate' && !hasSessions) {
    const message = `${subjectOf(written, SESSION_RATE)} needs sessions, and the workload has none`;
    const hint = 'add turns, a sharegpt file, or a trace of sessions (sessions, bailian, kvcache)';
    return [conflict(written, SESSION_RATE, message, hint)];
  }
  if (load !== null && load !== 'sessionRate' && (workload === 'turns' || ofTrace)) {
    if (load === 'trace' && ofTrace) return [];
    const path = ['workload', workload === 'turns' ? 'turns' : 'trace'];
    const message = `${subjectOf(written, path)} makes sessions, which need a rate of their own`;
    return [conflict(written, path, message, howToWrite(written, SESSION_RATE, '0.5'))];
  }
  const history = ['workload', 'history'];
  if (load !== 'sessionRate' && workload === 'sharegpt' && isWritten(written, history)) {
    const message = `${subjectOf(written, history)} is for sessions, and these are single prompts`;
    return [conflict(written, history, message, howToWrite(written, SESSION_RATE, '0.5'))];
  }
  const think = ['load', 'think'];
  const isGiven = isWritten(written, think);
  if (load === 'sessionRate' && ofTrace && isGiven) {
    const message = `${subjectOf(written, think)} is not for a trace, which has its own waits`;
    return [conflict(written, think, message, 'leave it out')];
  }
  if (load === 'sessionRate' && !ofTrace && !isGiven) {
    const message = `${subjectOf(written, think)} is missing: people think between two turns`;
    return [
      problemAt(written, think, 'missing', { message, hint: howToWrite(written, think, '5s') }),
    ];
  }
  return [];
}

/** Keys of traces that only some formats know. */
function traceProblems(format: TraceFormat | null, written: Written): Problem[] {
  if (format === null) return [];
  const ofRows = format === 'azure' || format === 'mooncake';
  const unknown: Readonly<Record<string, boolean>> = {
    maxContext: ofRows,
    maxInput: !ofRows,
    maxOutput: !ofRows,
    badRows: !ofRows,
    history: format !== 'sessions',
  };
  return Object.entries(unknown).flatMap(([key, isUnknown]) => {
    const path = ['workload', key];
    if (!isUnknown || !isWritten(written, path)) return [];
    const message = `${subjectOf(written, path)} does not apply to a trace of format ${format}`;
    return [conflict(written, path, message, `remove ${subjectOf(written, path)}`)];
  });
}

function isWritten({ tree }: Written, path: KeyPath): boolean {
  return valueAt(tree, path) !== undefined;
}

function conflict(written: Written, path: KeyPath, message: string, hint: string): Problem {
  return problemAt(written, path, 'conflict', { message, hint });
}
