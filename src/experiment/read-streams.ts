/** Reads the streams of a server on this machine as a run would, and keeps what it saw of itself. */
import { assert } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import {
  type LoadSchedule,
  mostStreams,
  type PlannedLoad,
  type ReadStream,
  readStreamOf,
} from '../doctor/index.ts';
import { offsetOf, type ProcessUsage, processUsage } from '../host/index.ts';
import { Budget } from '../loadgen/index.ts';
import type { GeneratorEvidence } from '../record/index.ts';
import { createRunFolder, type RunFolder } from '../store/index.ts';
import { DIALECTS, SERVED_DIALECT_NAMES } from '../wire/index.ts';
import type { PromptSource } from '../workload/index.ts';
import { openClient } from './open-client.ts';
import { preflight } from './preflight.ts';
import type { ExperimentPorts } from './run-experiment.ts';
import { type LiveProgress, type PointRunOptions, runPoint } from './run-point.ts';

export interface StreamReadingPorts extends Pick<
  ExperimentPorts,
  'clock' | 'wallNowMs' | 'readText' | 'freshSeed' | 'stopStarts' | 'cancelAll'
> {
  /** A folder for what is needed meanwhile. */
  readonly dir: string;
  readonly onProgress: (progress: LiveProgress) => void;
}

/** A reading of the process's own meters, on the clock of the run. */
export interface UsageSample {
  readonly atNs: number;
  readonly usage: ProcessUsage;
}

/** What the client read and spent. Instants are on its own clock. */
export interface StreamReading {
  readonly streams: readonly ReadStream[];
  readonly failureCount: number;
  readonly generator: GeneratorEvidence;
  readonly startNs: number;
  /** Since when all planned streams are open. */
  readonly measuredFromNs: number;
  readonly stopNs: number;
  /** In order of time. */
  readonly samples: readonly UsageSample[];
  /** From that clock to the machine's monotonic one. */
  readonly offset: ReturnType<typeof offsetOf>;
  /** Who was talked to, and how. */
  readonly target: RunSpec['target'];
}

/**
 * Sends a planned load to a server as a run of `spec` would send its own: the same client, generator,
 * pacer, meters and records on disk. In the end nobody is waited for.
 *
 * Errors: as those of `runExperiment`.
 */
export async function readStreams(
  spec: RunSpec,
  load: PlannedLoad,
  planned: LoadSchedule,
  ports: StreamReadingPorts,
  server: Pick<RunSpec['target'], 'url' | 'caFile'>,
): Promise<StreamReading> {
  const own = loopbackSpec(spec, load, server);
  const client = await openClient(own, { ...ports, apiKey: null });
  const folder = await createRunFolder(`${ports.dir}/run`, { force: true });
  try {
    const ready = await preflight({
      client,
      clock: ports.clock,
      dialect: DIALECTS[own.target.api],
      target: own.target,
      seed: ports.freshSeed,
      needsCalibration: false,
      tokenizer: null,
      probesExact: false,
      signal: ports.stopStarts,
    });
    return await readPoint(own, load, planned, ports, { client, ready, folder });
  } finally {
    await folder.close();
    client.close();
  }
}

/** The run as planned, with another target and an end that waits for nobody. */
function loopbackSpec(
  spec: RunSpec,
  load: PlannedLoad,
  server: Pick<RunSpec['target'], 'url' | 'caFile'>,
): RunSpec {
  const { target } = spec;
  const isServed = (SERVED_DIALECT_NAMES as readonly string[]).includes(target.api);
  // Streams must last as planned, which only some dialects can ask for.
  const api = isServed && DIALECTS[target.api].exactLength ? target.api : 'chat';
  return {
    ...spec,
    target: {
      ...target,
      ...server,
      api,
      model: null,
      headers: {},
      body: {},
      exactOutput: true,
      proxy: null,
      unixSocket: null,
      clientCertificate: null,
    },
    checks: [],
    warmupNs: 0,
    atEnd: { kind: 'cancel', limitNs: 0 },
    latenessLimitNs: null,
    budget: {
      ...spec.budget,
      maxRequests: null,
      maxOutputTokens: null,
      maxCostUsd: null,
      maxInFlight: mostStreams(load),
    },
  };
}

async function readPoint(
  spec: RunSpec,
  load: PlannedLoad,
  { schedule, measuredFromNs }: LoadSchedule,
  ports: StreamReadingPorts,
  parts: {
    readonly client: PointRunOptions['client'];
    readonly ready: PointRunOptions['preflight'];
    readonly folder: RunFolder;
  },
): Promise<StreamReading> {
  const { clock } = ports;
  const { client, ready, folder } = parts;
  const streams: ReadStream[] = [];
  const samples: UsageSample[] = [];
  let failureCount = 0;
  let startNs = clock.nowNs();
  const { point } = await runPoint({
    spec,
    source: sourceOf(load),
    point: { index: 0, ...pointOf(load, schedule.stopNs), schedule },
    arrivalsRps: load.startsRps,
    preflight: ready,
    client,
    clock,
    dialect: DIALECTS[spec.target.api],
    budget: new Budget(spec.budget),
    folder: {
      appendRecord(record) {
        if (record.end?.kind === 'failed' || record.end?.kind === 'timedOut') failureCount += 1;
        const stream = readStreamOf(record);
        if (stream !== null) streams.push(stream);
        return folder.appendRecord(record);
      },
    },
    template: {
      source: 'measured',
      clock: 'client',
      experimentHash: 'doctor',
      runId: 'doctor',
      pointIndex: 0,
      labels: { model: ready.talk.model, tenant: null, region: null },
      streamed: true,
      oneTokenPerEvent: true,
    },
    stopStarts: ports.stopStarts,
    cancelAll: ports.cancelAll,
    onProgress(progress) {
      ({ startNs } = progress);
      samples.push({ atNs: clock.nowNs(), usage: processUsage() });
      ports.onProgress(progress);
    },
  });
  assert(point.generator !== null, 'a point that was run has evidence');
  return {
    streams,
    failureCount,
    generator: point.generator,
    startNs,
    measuredFromNs: startNs + measuredFromNs,
    stopNs: point.stopNs,
    samples,
    offset: offsetOf(clock),
    target: spec.target,
  };
}

function sourceOf({ promptTokens, outputTokens }: PlannedLoad): PromptSource {
  return {
    kind: 'synthetic',
    input: { kind: 'fixed', tokens: promptTokens },
    output: { kind: 'fixed', tokens: outputTokens },
    prefix: { kind: 'unique' },
  };
}

function pointOf({ startsRps }: PlannedLoad, durationNs: number) {
  return {
    load: { kind: 'rate', level: startsRps, label: 'doctor', closedLoop: false },
    shape: {
      kind: 'rate',
      rateRps: startsRps,
      arrivals: { kind: 'poisson' },
      durationNs,
      maxRequests: null,
    },
  } as const;
}
