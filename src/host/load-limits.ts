/** Whether this machine can hold a load: open files, local ports and memory, before any is used. */
import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../base/index.ts';
import { checkDescriptors, descriptorLimit } from './host-facts.ts';

/** A load as the machine will feel it, at its most. */
export interface MachineLoad {
  /** Connections open at once, by generator process. */
  readonly connections: readonly number[];
  /** Addresses that they go to, each with local ports of its own; 0 where they take none. */
  readonly addresses: number;
  readonly requests: number;
}

/** `null` where the system does not tell. */
export interface LoadLimits {
  /** Open files of one process. */
  readonly descriptors: number | null;
  /** Open files that the whole system has left. */
  readonly systemDescriptors: number | null;
  /** Connections to one address and port of a server. */
  readonly ports: number | null;
  readonly memoryBytes: number | null;
}

/**
 * Memory, rounded up from what `bench:generator-processes` shows: a process, a stream with its answer
 * in the making, and a scheduled request, which the recording process and its generator both hold.
 */
export const PROCESS_BYTES = 150e6;
export const STREAM_BYTES = 150e3;
export const REQUEST_BYTES = 1_500;

/** What Linux tells; elsewhere nothing is known and nothing refused. */
export function loadLimits(): LoadLimits {
  const files = textOf('/proc/sys/fs/file-nr');
  return {
    descriptors: descriptorLimit(),
    systemDescriptors: files === null ? null : parseFilesLeft(files),
    ports: portCount(
      textOf('/proc/sys/net/ipv4/ip_local_port_range'),
      textOf('/proc/sys/net/ipv4/ip_local_reserved_ports'),
    ),
    memoryBytes: parseAvailableBytes(textOf('/proc/meminfo')),
  };
}

/**
 * Errors: EnvironmentError `E_DESCRIPTOR_LIMIT`, `E_PORT_LIMIT` or `E_MEMORY_LIMIT` for the first
 * limit that the load would pass.
 */
export function checkLoadLimits(load: MachineLoad, limits: LoadLimits = loadLimits()): void {
  const total = load.connections.reduce((sum, connections) => sum + connections, 0);
  for (const connections of load.connections) checkDescriptors(connections, limits.descriptors);
  checkSystemFiles(total, limits.systemDescriptors);
  checkPorts(total, load.addresses, limits.ports);
  checkMemory(load, total, limits.memoryBytes);
}

function checkSystemFiles(connections: number, left: number | null): void {
  if (left === null || connections <= left) return;
  throw new EnvironmentError({
    code: 'E_DESCRIPTOR_LIMIT',
    message: `${connections} connections are more open files than the ${left} this machine has left`,
    hint: 'raise fs.file-max or allow fewer requests in flight (--max-in-flight)',
  });
}

function checkPorts(connections: number, addresses: number, ports: number | null): void {
  if (ports === null || addresses === 0 || connections <= ports * addresses) return;
  const each = addresses === 1 ? 'one address' : `${addresses} addresses`;
  throw new EnvironmentError({
    code: 'E_PORT_LIMIT',
    message: `${connections} connections to ${each} need as many local ports, and there are ${ports * addresses}`,
    hint: 'widen net.ipv4.ip_local_port_range, name more addresses, or allow fewer requests in flight (--max-in-flight)',
  });
}

function checkMemory(
  { connections, requests }: MachineLoad,
  total: number,
  free: number | null,
): void {
  const needed =
    connections.length * PROCESS_BYTES + total * STREAM_BYTES + requests * REQUEST_BYTES;
  if (free === null || needed <= free) return;
  throw new EnvironmentError({
    code: 'E_MEMORY_LIMIT',
    message: `${total} streams and ${requests} requests need about ${megabytes(needed)} of memory, and ${megabytes(free)} are free`,
    hint: 'allow fewer requests in flight (--max-in-flight), or shorten the load',
  });
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Ports of a range such as `32768 60999` without the reserved ones, `8080,9000-9100`. */
export function portCount(range: string | null, reserved: string | null): number | null {
  const ends = /^(\d+)\s+(\d+)\s*$/.exec(range ?? '');
  if (ends === null) return null;
  const [low, high] = [Number(ends[1]), Number(ends[2])];
  let count = high - low + 1;
  for (const part of (reserved ?? '').split(',')) {
    const span = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part);
    if (span === null) continue;
    const from = Math.max(low, Number(span[1]));
    const to = Math.min(high, Number(span[2] ?? span[1]));
    count -= Math.max(0, to - from + 1);
  }
  return count;
}

/** `file-nr`: handles allocated, unused among them, most there may be. */
export function parseFilesLeft(text: string): number | null {
  const [allocated, unused, most] = text.trim().split(/\s+/).map(Number);
  if (allocated === undefined || unused === undefined || most === undefined) return null;
  const left = most - allocated + unused;
  return Number.isSafeInteger(left) ? left : null;
}

/** `MemAvailable` of `/proc/meminfo`. */
export function parseAvailableBytes(text: string | null): number | null {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
