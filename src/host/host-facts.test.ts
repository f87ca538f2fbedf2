import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../base/index.ts';
import { checkDescriptors, hostFacts, parseDescriptorLimit } from './host-facts.ts';

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             15000                15000                processes
Max open files            1024                 524288               files
`;

describe('hostFacts', () => {
  it('knows this machine', () => {
    const facts = hostFacts();
    expect(facts.cpus).toBeGreaterThan(0);
    expect(facts.memoryBytes).toBeGreaterThan(0);
    expect(facts.node).toBe(process.version);
    expect(facts.os).toContain(process.platform);
  });
});

describe('parseDescriptorLimit', () => {
  it('reads the soft limit', () => {
    expect(parseDescriptorLimit(LIMITS)).toBe(1_024);
  });
  it('reads no limit as infinite and no row as unknown', () => {
    expect(parseDescriptorLimit('Max open files  unlimited  unlimited  files\n')).toBe(Infinity);
    expect(parseDescriptorLimit('Max processes 1 1 processes\n')).toBeNull();
  });
});

describe('checkDescriptors', () => {
  it('refuses what cannot be open at once and says how to raise the limit', () => {
    expect(() => checkDescriptors(1_000, 1_024)).toThrow(EnvironmentError);
    expect(() => checkDescriptors(1_000, 1_024)).toThrow(
      '1000 connections need 1064 open files; this process may have 1024',
    );
  });
  it('lets through what fits, and everything where the limit is unknown', () => {
    checkDescriptors(960, 1_024);
    checkDescriptors(1_000_000, null);
  });
});
