/** What is known of the machine the generator runs on. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { EnvironmentError } from '../base/index.ts';
import type { Manifest } from '../record/index.ts';

export interface HostFacts extends Readonly<Manifest['host']> {
  /** Version of the runtime, `v20.19.0`. */
  readonly node: string;
}

/** Facts of this machine, as the manifest keeps them. They say nothing of the server. */
export function hostFacts(): HostFacts {
  return {
    cpus: availableParallelism(),
    cpuModel: cpus()[0]?.model.trim() || 'unknown',
    memoryBytes: totalmem(),
    os: `${platform()} ${release()} ${process.arch}`,
    node: process.version,
  };
}

/** Most files and sockets this process may have open; `null` where the system does not tell. */
export function descriptorLimit(): number | null {
  try {
    return parseDescriptorLimit(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return null;
  }
}

/** The soft limit in the text of `/proc/self/limits`; infinite when unlimited. */
export function parseDescriptorLimit(text: string): number | null {
  const limit = /^Max open files\s+(\d+|unlimited)\s/m.exec(text)?.[1];
  if (limit === undefined) return null;
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Files a process holds besides its connections: code, records, pipes, the event loop's own. */
const OTHER_DESCRIPTORS = 64;

/**
 * Checks before the run that `connections` sockets can be open at once.
 * Errors: {@link EnvironmentError} `E_DESCRIPTOR_LIMIT` when they cannot.
 */
export function checkDescriptors(connections: number, limit = descriptorLimit()): void {
  const needed = connections + OTHER_DESCRIPTORS;
  if (limit === null || needed <= limit) return;
  throw new EnvironmentError({
    code: 'E_DESCRIPTOR_LIMIT',
    message: `${connections} connections need ${needed} open files; this process may have ${limit}`,
    hint: `raise the limit (ulimit -n ${needed}) or allow fewer requests in flight`,
  });
}
