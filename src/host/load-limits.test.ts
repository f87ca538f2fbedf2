import { describe, expect, it } from 'vitest';
import type { EnvironmentError } from '../base/index.ts';
import {
  checkLoadLimits,
  type LoadLimits,
  loadLimits,
  type MachineLoad,
  parseAvailableBytes,
  parseFilesLeft,
  portCount,
} from './load-limits.ts';

const LIMITS: LoadLimits = {
  descriptors: 1_024,
  systemDescriptors: 100_000,
  ports: 28_232,
  memoryBytes: 8e9,
};
/** 10,000 streams at 2,000 starts/s for a minute, from so many processes. */
const LARGE: MachineLoad = {
  connections: [5_000, 5_000],
  addresses: 1,
  requests: 120_000,
};

function refusal(load: MachineLoad, limits: Partial<LoadLimits> = {}): string | null {
  try {
    checkLoadLimits(load, { ...LIMITS, ...limits });
    return null;
  } catch (error) {
    return `${(error as EnvironmentError).code}: ${(error as Error).message}`;
  }
}

describe('checkLoadLimits', () => {
  it('counts open files by process', () => {
    expect(refusal(LARGE)).toBe(
      'E_DESCRIPTOR_LIMIT: 5000 connections need 5064 open files; this process may have 1024',
    );
    expect(refusal(LARGE, { descriptors: 5_064 })).toBeNull();
    expect(refusal(LARGE, { descriptors: 5_063 })).toContain('E_DESCRIPTOR_LIMIT');
  });

  it('counts open files of the machine over all processes', () => {
    expect(refusal(LARGE, { descriptors: null, systemDescriptors: 9_999 })).toBe(
      'E_DESCRIPTOR_LIMIT: 10000 connections are more open files than the 9999 this machine has left',
    );
  });

  it('counts ports over all processes, for each address', () => {
    const wide = { ...LARGE, connections: [20_000, 20_000] };
    const open = { descriptors: null, systemDescriptors: null };
    expect(refusal(wide, open)).toBe(
      'E_PORT_LIMIT: 40000 connections to one address need as many local ports, and there are 28232',
    );
    expect(refusal({ ...wide, addresses: 2 }, open)).toBeNull();
    // A Unix socket takes no port.
    expect(refusal({ ...wide, addresses: 0 }, open)).toBeNull();
  });

  it('counts memory by process, stream and request', () => {
    const open = { descriptors: null };
    // 2 × 150 MB + 10,000 × 150 kB + 120,000 × 1.5 kB.
    expect(refusal(LARGE, { ...open, memoryBytes: 1_979e6 })).toBe(
      'E_MEMORY_LIMIT: 10000 streams and 120000 requests need about 1980 MB of memory, and 1979 MB are free',
    );
    expect(refusal(LARGE, { ...open, memoryBytes: 1_980e6 })).toBeNull();
  });

  it('refuses nothing that the system does not tell', () => {
    const unknown = { descriptors: null, systemDescriptors: null, ports: null, memoryBytes: null };
    expect(refusal({ ...LARGE, connections: [1e9] }, unknown)).toBeNull();
  });
});

describe('what Linux tells', () => {
  it('ports of the range but the reserved ones', () => {
    expect(portCount('32768\t60999\n', '')).toBe(28_232);
    expect(portCount('32768\t60999\n', '\n')).toBe(28_232);
    expect(portCount('1000 1009', '1000,1003-1005,2000-3000,900-999')).toBe(6);
    expect(portCount(null, null)).toBeNull();
  });

  it('files left', () => {
    expect(parseFilesLeft('1536\t100\t9000\n')).toBe(7_564);
    expect(parseFilesLeft('1536\t0\t9223372036854775807\n')).toBeNull();
  });

  it('memory that is available, not only unused', () => {
    expect(parseAvailableBytes('MemTotal: 9 kB\nMemFree:  1 kB\nMemAvailable:   20 kB\n')).toBe(
      20_480,
    );
    expect(parseAvailableBytes('MemTotal: 9 kB\n')).toBeNull();
  });

  it('lets a small load through on this machine', () => {
    checkLoadLimits({ connections: [8], addresses: 1, requests: 100 }, loadLimits());
  });
});
