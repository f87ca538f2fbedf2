/** Requests that waited for a connection: the handshake is in their latencies. */
import type { ConnectionsInLoad, GeneratorEvidence, OpeningReason } from '../record/index.ts';
import type { RequestRow } from './request-row.ts';
import type { ValidityReason } from './summary.ts';
import { counted } from './validity-words.ts';

/** Said with its causes, the most frequent first; `null` where nobody waited or nobody counted why. */
export function coldConnectionsReason(
  judged: readonly RequestRow[],
  generator: GeneratorEvidence | null,
): ValidityReason | null {
  const opened = generator?.connectionsInLoad;
  const coldCount = judged.filter((row) => row.connection === 'cold').length;
  const causes = opened === undefined ? '' : causesText(opened);
  const cold = counted(coldCount, 'request', 'requests');
  if (cold === null || causes === '') return null;
  return {
    check: 'coldConnections',
    severity: 'note',
    message: `${cold} of ${judged.length} judged waited for a connection, which is in TTFT; opened under load: ${causes}`,
    advice: null,
  };
}

const CAUSES: readonly (readonly [OpeningReason, string])[] = [
  ['allBusy', 'because all were busy'],
  ['serverClosed', 'for ones the server had closed'],
  ['idleEnded', 'for ones idle too long'],
  ['givenUp', 'for ones given up with a failed or late request'],
];

function causesText(opened: ConnectionsInLoad): string {
  return CAUSES.map(([reason, words]) => ({ count: opened[reason], words }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ count, words }) => `${count} ${words}`)
    .join(', ');
}
