/** Processor time that another process has taken, as Linux counts it. */
import { readFileSync } from 'node:fs';

/** Of `/proc`, in hundredths of a second: every Linux that Node runs on counts so. */
const MS_PER_TICK = 10;

export interface ProcessUsage {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** User and system time so far, and memory held now. */
export function usageOf(pid: number): ProcessUsage {
  // The name, in brackets, may hold anything.
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
    residentBytes: Number(fields[21]) * 4_096,
  };
}
