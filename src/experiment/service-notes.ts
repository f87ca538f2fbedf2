/** What a simulated service did, in a line for whoever watches the run. */
import { durationText, msFromNs, secondsFromNs, groupedCount } from '../base/index.ts';
import {
  type PoolReport,
  type ServiceReport,
  STEP_ROWS_MAX,
  type TransferReport,
} from '../simulator/index.ts';

/** One line about replicas that came or went and one about transfers; none where nothing of it was. */
export function serviceNotes(label: string, { pools, transfers }: ServiceReport): string[] {
  return [
    ...pools.filter(({ events }) => events.length > 0).map((pool) => poolNote(label, pool)),
    ...(transfers === null ? [] : [transferNote(label, transfers)]),
  ];
}

/** A line where not all steps were kept. */
export function stepNotes(label: string, cutNs: number | null): string[] {
  if (cutNs === null) return [];
  const rows = groupedCount(STEP_ROWS_MAX);
  return [
    `${label}: only the first ${rows} rows of steps were kept, up to ${secondsFromNs(cutNs)} s`,
  ];
}

function poolNote(label: string, { replicas, events, replicaNs }: PoolReport): string {
  const ready = [replicas, ...events.map((event) => event.ready)];
  const [fewest, most] = [Math.min(...ready), Math.max(...ready)];
  const ordered = events.filter(({ kind }) => kind === 'ordered').length;
  const gone = events.filter(({ kind }) => kind === 'gone').length;
  const seconds = Math.round(secondsFromNs(replicaNs));
  return `${label}: ${fewest} to ${most} replicas ready, ${ordered} ordered, ${gone} gone, ${seconds} replica-seconds`;
}

function transferNote(label: string, { transfers, bytes, heldNs }: TransferReport): string {
  const gigabytes = (bytes / 1e9).toFixed(1);
  const mean =
    transfers === 0 ? '' : `, ${meanText(heldNs / transfers)} each from prefill to decode`;
  return `${label}: ${transfers} KV transfers, ${gigabytes} GB${mean}`;
}

function meanText(ns: number): string {
  return ns < 1e9 ? `${msFromNs(ns).toFixed(1)}ms` : durationText(Math.round(ns / 1e6) * 1e6);
}
