/**
 * What the load generator on one machine adds to the truth, measured before a run against a server
 * that logs when it really sent: `goodput doctor` writes it, the manifest of a run may carry it.
 */
import type { Manifest } from './manifest.ts';

export const CALIBRATION_SCHEMA_VERSION = 1;

/** How late something was, over `sampleCount` occurrences. Nearest rank; all `null` when there were none. */
export interface SpanQuantiles {
  readonly sampleCount: number;
  readonly p50Ns: number | null;
  readonly p99Ns: number | null;
  readonly maxNs: number | null;
}

/** What carries the requests. Calibrations hold for one of these. */
export interface ClientTransport {
  readonly name: 'fast' | 'compat';
  readonly tls: boolean;
  readonly http2: boolean;
}

/** A load as the client feels it. */
export interface ClientLoad {
  /** Answers being read at once; a mean need not be whole. */
  readonly streamCount: number;
  /** Output events read per second, of all streams together. */
  readonly chunksRps: number;
  /** Requests begun per second. */
  readonly startsRps: number;
}

/** The error of one generator process under one load, and what that load cost it. */
export interface ClientCalibration {
  readonly kind: 'clientCalibration';
  readonly schemaVersion: typeof CALIBRATION_SCHEMA_VERSION;
  /** Wall-clock time of the measurement, ISO 8601. */
  readonly measuredAt: string;
  readonly tool: Manifest['tool'];
  readonly host: Manifest['host'];
  readonly transport: ClientTransport;
  readonly api: string;
  /** What was asked for, and what came of it. */
  readonly planned: ClientLoad;
  readonly reached: ClientLoad;
  /** Whether all streams sent at the same instant, as those of one engine step do. */
  readonly burst: boolean;
  /** Stamp of an output event less the instant at which the server handed it to its socket. */
  readonly stampAge: SpanQuantiles;
  /**
   * The same of events stamped outside the stalls that this process saw of itself. A run sees its
   * own stalls, so this is what it cannot see: the part that a calibration adds.
   */
  readonly calmStampAge: SpanQuantiles;
  /** Dispatched less due, of the requests begun. */
  readonly lateness: SpanQuantiles;
  /** Processor time of the process per output event, starts included. ns. */
  readonly chunkCpuNs: number | null;
  readonly loopUtilisationShare: number;
  /**
   * Output events per second that would keep this process's loop at 65 %, at the cost measured:
   * a floor, because an event costs less where there are more. `null` when nothing was read.
   */
  readonly roomChunksRps: number | null;
  /** Lateness of the server's own steps: what it could not do is not the client's. */
  readonly serverLateness: SpanQuantiles;
}

/** Why a calibration is not one of this run: it says nothing of its stamps, and is not used. */
export type CalibrationMisfit = 'machine' | 'node' | 'transport' | 'version';

/** The calibration of a run, and where it does not fit. How much load it was for is judged later. */
export interface RunCalibration {
  readonly client: ClientCalibration;
  readonly misfits: readonly CalibrationMisfit[];
}

/** What a run is, as far as a calibration depends on it. */
export interface CalibratedRun {
  readonly tool: Manifest['tool'];
  readonly host: Manifest['host'];
  readonly transport: ClientTransport;
}

/** Where a calibration was made under other conditions; empty when it holds for the run. */
export function misfitsOf(client: ClientCalibration, run: CalibratedRun): CalibrationMisfit[] {
  const { host, tool, transport } = client;
  const isSameMachine =
    host.cpus === run.host.cpus &&
    host.cpuModel === run.host.cpuModel &&
    host.memoryBytes === run.host.memoryBytes &&
    host.os === run.host.os;
  const isSameTransport =
    transport.name === run.transport.name &&
    transport.tls === run.transport.tls &&
    transport.http2 === run.transport.http2;
  const misfits: [CalibrationMisfit, boolean][] = [
    ['machine', !isSameMachine],
    ['node', tool.node !== run.tool.node],
    ['transport', !isSameTransport],
    ['version', tool.version !== run.tool.version],
  ];
  return misfits.filter(([, differs]) => differs).map(([misfit]) => misfit);
}
