import { describe, expect, it } from 'vitest';
import { calibrationOf } from '../../test/support/calibration-builder.ts';
import { QUIET } from '../../test/support/made-validity.ts';
import { NS_PER_SECOND } from '../base/index.ts';
import { type DoctorEvidence, findingsOf, processesNeeded, verdictOf } from './findings.ts';

const MS = 1_000_000;
const spans = (p99Ns: number) => ({ sampleCount: 1_000, p50Ns: 100_000, p99Ns, maxNs: 2 * p99Ns });

/** A calm client on an idle machine of eight cores. */
const CALM: DoctorEvidence = {
  load: {
    streamCount: 256,
    chunksRps: 10_240,
    startsRps: 40,
    tokensPerSecond: 40,
    promptTokens: 256,
    outputTokens: 256,
    burst: false,
  },
  calibration: calibrationOf(),
  generator: QUIET,
  machine: {
    cores: 8,
    loadAverage: 0.2,
    descriptorLimit: 1_024,
    portCount: 28_232,
    timerSlackNs: 50_000,
    clockStepNs: 60,
    timerLateNs: 120_000,
  },
  lastedNs: 11 * NS_PER_SECOND,
  tightestLimitNs: null,
  failureCount: 0,
  unknownCount: 0,
};

/** State and advice of what is not a pass, by check. */
function complaints(evidence: Partial<DoctorEvidence>) {
  const findings = findingsOf({ ...CALM, ...evidence }).filter(({ state }) => state !== 'pass');
  return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
}

const calibrated = (options: Parameters<typeof calibrationOf>[0]) => ({
  calibration: calibrationOf(options),
});

describe('findingsOf', () => {
  it('has nothing against a calm client, and says every figure', () => {
    const findings = findingsOf(CALM);
    expect(complaints({})).toEqual({});
    expect(verdictOf(findings)).toBe('pass');
    expect(findings.map(({ message }) => message)).toEqual([
      '100,000 stamps compared with the instant of sending',
      "stamps are up to 400 µs late (p99), 400 µs outside this client's stalls",
      'starts leave up to 400 µs late (p99 of 100000)',
      'the event loop is busy 12 % of the time; one process has room for about 55,000 chunks/s',
      '10,000 chunks/s reached of 10,000 planned',
      'the client never stood still',
      '1,024 open files, 320 needed',
      '28,232 local ports for one address of a server, 256 needed',
      'clock in steps of 60.0 ns, timers 120 µs late (median), timer slack 50.0 µs',
      '8 cores, load average 0.2 before the measurement',
    ]);
  });

  it('gives advice with everything that is no pass, and with nothing that is', () => {
    const worst = findingsOf({
      ...CALM,
      ...calibrated({ stampAge: spans(50 * MS), loopUtilisationShare: 0.9, roomChunksRps: 3_000 }),
      machine: {
        ...CALM.machine,
        cores: 1,
        descriptorLimit: 100,
        portCount: 10,
        timerLateNs: 9 * MS,
      },
      failureCount: 1,
    });
    for (const { state, advice } of worst) expect(advice === null).toBe(state === 'pass');
    expect(verdictOf(worst)).toBe('fail');
  });

  it('allows an error of 2 ms, and of 1 % of the tightest limit; beyond 5 % nothing is shown', () => {
    const late = (p99Ns: number, tightestLimitNs: number | null) =>
      complaints({ ...calibrated({ stampAge: spans(p99Ns) }), tightestLimitNs })['stampAge'];
    expect(late(2 * MS, null)).toBeUndefined();
    expect(late(3 * MS, null)).toBe('warn');
    expect(late(21 * MS, null)).toBe('fail');
    expect(late(3 * MS, 300 * MS)).toBeUndefined();
    expect(late(10 * MS, 300 * MS)).toBe('warn');
    expect(late(16 * MS, 300 * MS)).toBe('fail');
    expect(late(2 * MS, 20 * MS)).toBeUndefined();
    expect(late(3 * MS, 20 * MS)).toBe('fail');
  });

  it('judges starts alike, and asks for more time where there were none', () => {
    expect(complaints(calibrated({ lateness: spans(30 * MS) }))).toEqual({ lateness: 'fail' });
    const none = { sampleCount: 0, p50Ns: null, p99Ns: null, maxNs: null };
    expect(complaints(calibrated({ lateness: none }))).toEqual({ lateness: 'warn' });
  });

  it('says how many processes a load needs that one cannot read', () => {
    const full = calibrated({ loopUtilisationShare: 0.8, roomChunksRps: 4_000 });
    expect(complaints(full)).toEqual({ loop: 'fail' });
    const loop = findingsOf({ ...CALM, ...full }).find(({ check }) => check === 'loop');
    expect(loop?.advice).toBe('this load needs 3 generator processes, or fewer streams');
    expect(processesNeeded(8_000, { roomChunksRps: 4_000 })).toBe(2);
    expect(processesNeeded(8_001, { roomChunksRps: 4_000 })).toBe(3);
    expect(processesNeeded(1, { roomChunksRps: null })).toBe(1);
  });

  it('tells an emulator that was too slow from a client that was', () => {
    const reached = { streamCount: 256, chunksRps: 7_000, startsRps: 40 };
    expect(complaints(calibrated({ reached, serverLateness: spans(80 * MS) }))).toEqual({
      load: 'warn',
    });
    expect(complaints(calibrated({ reached, loopUtilisationShare: 0.99 }))).toMatchObject({
      load: 'fail',
      loop: 'fail',
    });
  });

  it('weighs stalls by the time they took, overlaps once', () => {
    const stall = (fromMs: number, toMs: number) => ({
      fromNs: fromMs * MS,
      toNs: toMs * MS,
      cause: 'host' as const,
    });
    const stalls = (...list: ReturnType<typeof stall>[]) =>
      complaints({
        generator: { ...QUIET, stalls: list, hostStallMaxNs: 90 * MS, hostStallCount: 1 },
        lastedNs: 10 * NS_PER_SECOND,
      });
    expect(stalls(stall(0, 90))).toEqual({});
    expect(stalls(stall(0, 90), stall(40, 95))).toEqual({});
    expect(stalls(stall(0, 90), stall(200, 260))).toEqual({ stalls: 'warn' });
    expect(stalls(stall(0, 1_200))).toEqual({ stalls: 'fail' });
  });

  it('checks what the system sets bounds to', () => {
    const machine = (facts: Partial<DoctorEvidence['machine']>) =>
      complaints({ machine: { ...CALM.machine, ...facts } });
    expect(machine({ descriptorLimit: 300 })).toEqual({ descriptors: 'fail' });
    expect(machine({ descriptorLimit: null, portCount: null, timerSlackNs: null })).toEqual({});
    expect(machine({ descriptorLimit: Infinity })).toEqual({});
    expect(machine({ portCount: 200 })).toEqual({ ports: 'fail' });
    expect(machine({ clockStepNs: MS })).toEqual({ timers: 'warn' });
    expect(machine({ cores: 1 })).toEqual({ cores: 'warn' });
    expect(machine({ loadAverage: 5 })).toEqual({ cores: 'warn' });
  });

  it('is worth nothing where answers failed or stamps had no counterpart', () => {
    expect(complaints({ failureCount: 1 })).toEqual({ comparison: 'fail' });
    expect(complaints({ unknownCount: 1 })).toEqual({ comparison: 'fail' });
  });
});
