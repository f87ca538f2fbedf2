/** Builds a manifest for tests; nothing in it is about a real run. */
import { type Fact, type Manifest, MANIFEST_SCHEMA_VERSION } from '../../src/record/index.ts';

const UNKNOWN: Fact = { from: 'unknown' };

export function manifestOf(changes: Partial<Manifest> = {}): Manifest {
  return {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    tool: { name: 'goodput', version: '0.0.0', node: 'v20.19.0' },
    experimentHash: 'e',
    runId: 'run',
    startedAt: '2026-01-01T00:00:00.000Z',
    source: 'measured',
    clock: 'client',
    target: { url: 'http://127.0.0.1:8000/', api: 'chat', stream: true },
    facts: {
      model: { from: 'measured', value: 'm' },
      checkpointHash: UNKNOWN,
      precision: { from: 'declared', value: 'bf16' },
      serverCommit: UNKNOWN,
      serverVersion: UNKNOWN,
      gpu: UNKNOWN,
      driver: UNKNOWN,
      tokenizer: UNKNOWN,
      cacheState: UNKNOWN,
      sampling: { from: 'declared', value: { temperature: 0 } },
    },
    counting: { tokens: 'usage', oneTokenPerEvent: false, exactOutput: false, local: null },
    prefixCache: 'unique',
    spec: 'target: { url: http://127.0.0.1:8000/ }\nload: { rate: 1 }\n',
    scheduleHashes: ['s'],
    seeds: { arrivals: 1 },
    host: { cpus: 2, cpuModel: 'some processor', memoryBytes: 1, os: 'linux' },
    preflight: null,
    simulated: null,
    calibration: null,
    points: [
      {
        index: 0,
        kind: 'rate',
        level: 1,
        label: 'open loop, Poisson 1/s',
        closedLoop: false,
        offeredRps: 1,
        steadyFromNs: null,
        stopNs: 60_000_000_000,
        partial: false,
        stopReason: 'duration',
        recordCount: null,
        generator: null,
      },
    ],
    ...changes,
  };
}
