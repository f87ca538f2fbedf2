/** Everything that shaped a run, frozen beside its records (`manifest.json`). */
import type { JsonValue } from '../base/index.ts';
import type { RunCalibration } from './client-calibration.ts';
import type { RecordClock, RecordSource } from './request-record.ts';

export const MANIFEST_SCHEMA_VERSION = 1;

/** How a fact is known: read from the system, told by the user, or not known at all. */
export type Fact =
  | { readonly from: 'measured' | 'declared'; readonly value: JsonValue }
  | { readonly from: 'unknown' };

/**
 * The facts that make a result comparable. Each is measured where the system tells, declared by
 * the user else, or `unknown`, said aloud.
 */
export interface ExperimentFacts {
  readonly model: Fact;
  readonly checkpointHash: Fact;
  readonly precision: Fact;
  readonly serverCommit: Fact;
  readonly serverVersion: Fact;
  readonly gpu: Fact;
  readonly driver: Fact;
  readonly tokenizer: Fact;
  readonly cacheState: Fact;
  readonly sampling: Fact;
}

/** How output tokens are counted, fixed by the preflight and never changed in the run. */
export interface CountingContract {
  readonly tokens: 'usage' | 'perEventUsage' | 'none';
  readonly oneTokenPerEvent: boolean;
  readonly exactOutput: boolean;
  /** What is counted here as well; `null` without a local tokenizer. */
  readonly local: LocalCounting | null;
}

/** A local tokenizer, and what its counts are for. */
export interface LocalCounting {
  readonly tokenizer: string;
  /** Of the vocabulary's published file, or of the `tokenizer.json`, in hex. */
  readonly sha256: string;
  /** The package that reads it, with its version. */
  readonly reader: string;
  /** Its counts of answers are what is judged, because the server tells none. */
  readonly judged: boolean;
}

export interface Manifest {
  readonly schemaVersion: typeof MANIFEST_SCHEMA_VERSION;
  readonly tool: { readonly name: 'goodput'; readonly version: string; readonly node: string };
  /** SHA-256 over everything below that shapes the result, not over instants or host load. */
  readonly experimentHash: string;
  readonly runId: string;
  /** Wall-clock time of the clock's origin, read once. */
  readonly startedAt: string;
  /** Where the records are from. */
  readonly source: RecordSource;
  /** Whose clock stamped them. */
  readonly clock: RecordClock;
  readonly target: { readonly url: string; readonly api: string; readonly stream: boolean };
  readonly facts: ExperimentFacts;
  readonly counting: CountingContract;
  readonly prefixCache: string;
  /** The resolved spec without secrets, as YAML would hold it. */
  readonly spec: JsonValue;
  readonly scheduleHashes: readonly string[];
  readonly seeds: Readonly<Record<string, number>>;
  readonly host: {
    readonly cpus: number;
    readonly cpuModel: string;
    readonly memoryBytes: number;
    readonly os: string;
  };
  /** What the preflight saw; `null` when nothing was asked. */
  readonly preflight: JsonValue;
  /** What stood in for a server; `null` when a real one was measured. */
  readonly simulated: JsonValue;
  /** What the client is known to add to its stamps; `null` when nobody measured that. */
  readonly calibration: RunCalibration | null;
  /** Load points in the order they ran, as a reader of the records needs them. */
  readonly points: readonly ManifestPoint[];
}

/** What re-judging needs to know of one load point beyond its records. */
export interface ManifestPoint {
  readonly index: number;
  readonly kind: 'rate' | 'concurrency' | 'users' | 'sessions' | 'trace';
  readonly level: number;
  readonly label: string;
  readonly closedLoop: boolean;
  readonly offeredRps: number | null;
  /** Declared window start: requests planned before it are warm-up. */
  readonly steadyFromNs: number | null;
  readonly stopNs: number;
  readonly partial: boolean;
  readonly stopReason: string;
  /** Records the generator wrote; `null` while the point runs, and so after a crash. */
  readonly recordCount: number | null;
  /** The generator's own evidence about itself. */
  readonly generator: GeneratorEvidence | null;
}

/** Evidence about the load generator, for validity. */
export interface GeneratorEvidence {
  /** Event-loop utilisation over the point, 0…1. */
  readonly loopUtilisationShare: number;
  /** Longest observed pause of the event loop and of the whole process. */
  readonly loopStallMaxNs: number;
  readonly hostStallCount: number;
  readonly hostStallMaxNs: number;
  /** Pauses of over 5 ms by their end: all of them, or the longest where there were too many. */
  readonly stalls: readonly ClientStall[];
  /** Longest pause left out of the list; 0 when none was. */
  readonly unlistedStallMaxNs: number;
  /** Connections opened for the point, those opened ahead of its load included. */
  readonly connectionCount: number;
  /** Of these, the ones opened while the load ran; left out by runs of earlier versions. */
  readonly connectionsInLoad?: ConnectionsInLoad | undefined;
  /** Each of several generator processes; left out where one process did all. */
  readonly processes?: readonly ProcessEvidence[] | undefined;
}

/** Why a connection had to be opened while a load ran. */
export type OpeningReason =
  /** More requests at once than connections were open. */
  | 'allBusy'
  /** In place of one that the server had closed, reset, or said it would not keep. */
  | 'serverClosed'
  /** In place of one that was idle for as long as this client keeps them. */
  | 'idleEnded'
  /** In place of one that was given up with its request, which had failed or run out of time. */
  | 'givenUp';

/** How many were opened for each reason: each is a handshake inside some request's latency. */
export type ConnectionsInLoad = Readonly<Record<OpeningReason, number>>;

/** One generator process of several. What it did not live to tell is `null`. */
export interface ProcessEvidence {
  /** Requests of its stripe. */
  readonly requestCount: number;
  readonly loopUtilisationShare: number | null;
  readonly loopStallMaxNs: number | null;
  readonly hostStallMaxNs: number | null;
  readonly connectionCount: number | null;
  /** How the process died in the middle of the point; `null` when it did not. */
  readonly lost: string | null;
}

/**
 * A span in which the client may have been late to read or to send: what is stamped in it may have
 * arrived at any time since its start. On the clock of the records.
 */
export interface ClientStall {
  readonly fromNs: number;
  readonly toNs: number;
  /** `host`: most of it the machine gave this process no time. `loop`: our own code was busy. */
  readonly cause: 'loop' | 'host';
}
