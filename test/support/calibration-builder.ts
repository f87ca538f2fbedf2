/** Builds calibrations of a client for tests, from what a test is about. */
import type { ClientCalibration, RunCalibration } from '../../src/record/index.ts';

/** A calm client: 256 streams of 40/s, stamps up to 400 µs late. */
export function calibrationOf(options: Partial<ClientCalibration> = {}): ClientCalibration {
  const load = { streamCount: 256, chunksRps: 10_240, startsRps: 40 };
  const spans = { sampleCount: 100_000, p50Ns: 100_000, p99Ns: 400_000, maxNs: 1_900_000 };
  return {
    kind: 'clientCalibration',
    schemaVersion: 1,
    measuredAt: '2026-11-30T03:00:00.000Z',
    tool: { name: 'goodput', version: '0.1.0', node: 'v20.19.0' },
    host: { cpus: 8, cpuModel: 'some processor', memoryBytes: 1e10, os: 'linux 6.1.0 x64' },
    transport: { name: 'fast', tls: false, http2: false },
    api: 'chat',
    planned: load,
    reached: load,
    burst: false,
    stampAge: spans,
    calmStampAge: spans,
    lateness: spans,
    chunkCpuNs: 10_000,
    loopUtilisationShare: 0.12,
    roomChunksRps: 55_000,
    serverLateness: spans,
    ...options,
  };
}

/** That a run carries, fitting it unless told otherwise. */
export function runCalibrationOf(
  options: Partial<ClientCalibration> = {},
  misfits: RunCalibration['misfits'] = [],
): RunCalibration {
  return { client: calibrationOf(options), misfits };
}
