/**
 * The resolved description of one experiment: what `goodput run` does. YAML, flags and defaults
 * all end here, and `--print-spec` writes it back as YAML. Secrets are never in it: only the name
 * of the variable or file that holds the key.
 */
import type { JsonValue } from '../base/index.ts';
import type { DialectName } from '../wire/index.ts';
import type { Hypothesis } from '../comparison/index.ts';
import type { AnswerCheck, Objective } from '../slo/index.ts';
import type { QuotaSpec } from './quota-schema.ts';
import type { ServiceKeys } from './service-schema.ts';
import type {
  ArrivalProcess,
  HistoryMode,
  LengthDistribution,
  PrefixPolicy,
  RequestClass,
  RetryPolicy,
  Seeds,
  SessionMix,
  SyntheticPrompts,
  ThinkTime,
} from '../workload/index.ts';

export type ApiName = DialectName;

export interface TargetSpec {
  /** Base URL as given; `/v1` is added unless the path already ends in a version. */
  readonly url: string;
  readonly api: ApiName;
  readonly stream: boolean;
  /** `null` = ask `/v1/models`. */
  readonly model: string | null;
  /** Name of the environment variable that holds the key. Default `OPENAI_API_KEY`, if set. */
  readonly apiKeyEnv: string | null;
  readonly apiKeyFile: string | null;
  /** Lower-case name of the header that carries the key: as `Bearer KEY` in `authorization`. */
  readonly apiKeyHeader: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Extra body fields, sent with every request. */
  readonly body: Readonly<Record<string, JsonValue>>;
  /** Declared: the server sends exactly one token per output event. */
  readonly oneTokenPerEvent: boolean;
  /** Force exact output lengths (`ignore_eos` + `min_tokens`) where the server allows. */
  readonly exactOutput: boolean;
  /** The model's tokenizer, to count with here; `null` = only the server counts. */
  readonly tokenizer: TokenizerSpec | null;
  readonly proxy: string | null;
  readonly caFile: string | null;
  /** Files of the certificate to show to a server that asks, and of its private key. */
  readonly clientCertificate: { readonly certFile: string; readonly keyFile: string } | null;
  /** Path of a Unix socket to connect to, in place of the URL's host. */
  readonly unixSocket: string | null;
  /** `compat` with {@link http2}. */
  readonly transport: 'fast' | 'compat';
  readonly http2: boolean;
  readonly limits: TransportLimits;
  /** Of the provider. */
  readonly quota: QuotaSpec;
}

/** A vocabulary of OpenAI's by its own name or a model's, or a `tokenizer.json`. */
export type TokenizerSpec =
  | { readonly kind: 'gpt'; readonly vocabulary: string }
  | { readonly kind: 'file'; readonly path: string };

export interface TransportLimits {
  readonly lineBytes: number;
  readonly responseBytes: number;
  readonly requestTimeoutNs: number;
  readonly connectTimeoutNs: number;
}

/** Where prompts come from, before files are read. */
export type WorkloadSpec =
  | ({ readonly kind: 'synthetic' } & SyntheticPrompts)
  | { readonly kind: 'classes'; readonly classes: readonly RequestClass[] }
  | {
      readonly kind: 'prompts';
      readonly path: string;
      readonly format: 'text' | 'jsonl' | 'sharegpt';
      readonly output: LengthDistribution;
      readonly order: 'sequential' | 'shuffled';
      readonly prefix: PrefixPolicy;
    }
  | { readonly kind: 'bodies'; readonly path: string; readonly order: 'sequential' | 'shuffled' }
  | ({ readonly kind: 'sessions' } & SessionMix)
  /** Whole conversations of a ShareGPT file, turn by turn. */
  | {
      readonly kind: 'conversations';
      readonly path: string;
      readonly output: LengthDistribution;
      readonly order: 'sequential' | 'shuffled';
      readonly prefix: PrefixPolicy;
      readonly history: HistoryMode;
    }
  | {
      readonly kind: 'trace';
      readonly path: string;
      readonly format: TraceFormat;
      /** `fail`: rows with holes are errors. `skip`: they are counted and left out. */
      readonly badRows: 'fail' | 'skip';
      readonly maxPromptTokens: number | null;
      readonly maxOutputTokens: number | null;
      /** Calls of sessions that would pass it are left out, and what waits for them. */
      readonly maxContextTokens: number | null;
      /** Of sessions that tell what they continue. */
      readonly history: HistoryMode;
    };

/** `sessions`, `kvcache` and `bailian` hold sessions; `mooncake` may. */
export type TraceFormat = (typeof TRACE_FORMATS)[number];

export const TRACE_FORMATS = ['azure', 'mooncake', 'sessions', 'bailian', 'kvcache'] as const;

/** One or more load points of one kind: more than one is a sweep. */
export type LoadSpec =
  | {
      readonly kind: 'rate';
      readonly ratesRps: readonly number[];
      readonly arrivals: ArrivalProcess;
    }
  | { readonly kind: 'concurrency'; readonly levels: readonly number[] }
  | {
      readonly kind: 'users';
      readonly levels: readonly number[];
      readonly think: ThinkTime;
    }
  | {
      readonly kind: 'sessions';
      readonly sessionsPerSecond: readonly number[];
      readonly arrivals: ArrivalProcess;
      readonly think: ThinkTime;
    }
  | {
      readonly kind: 'trace';
      readonly timeScales: readonly number[];
      readonly fromNs: number;
    };

/** Bounds of the whole run. `null` = not bounded by the user; defaults are in the config docs. */
export interface BudgetSpec {
  /** Requests, all points together. */
  readonly maxRequests: number | null;
  readonly maxOutputTokens: number | null;
  readonly maxCostUsd: number | null;
  readonly pricePerMillionInputTokensUsd: number | null;
  readonly pricePerMillionOutputTokensUsd: number | null;
  /** Ceiling on requests in flight; arrivals above it are dropped and counted. */
  readonly maxInFlight: number;
}

/** Which engines' `/metrics` a load test looks at. */
export interface MetricsSpec {
  /** URLs, and `auto` for the target's own; empty = none. */
  readonly endpoints: readonly string[];
  readonly everyNs: number;
}

export interface RunSpec {
  readonly name: string | null;
  readonly target: TargetSpec;
  readonly workload: WorkloadSpec;
  readonly load: LoadSpec;
  /** Per load point. In trace time for a replay (before scaling). */
  readonly durationNs: number;
  /** Per load point; `null` = by duration alone. */
  readonly requests: number | null;
  /** Declared warm-up at each point's start, reported apart. */
  readonly warmupNs: number;
  readonly atEnd: { readonly kind: 'drain' | 'cancel'; readonly limitNs: number };
  /** Drop an arrival later than this instead of sending it late; `null` = send, record lateness. */
  readonly latenessLimitNs: number | null;
  /** Generator processes of a load point; `null` = as many as it is estimated to need. */
  readonly processes: number | null;
  /** When failed requests are tried again; `null` = never. */
  readonly retry: RetryPolicy | null;
  readonly seeds: Seeds;
  readonly objective: Objective | null;
  readonly checks: readonly AnswerCheck[];
  readonly metrics: MetricsSpec;
  /** Of the requests, those that carry a W3C trace context; 0 = none. */
  readonly traceShare: number;
  readonly budget: BudgetSpec;
  /** What is expected of a change; `goodput compare` answers it. */
  readonly hypothesis: Hypothesis | null;
  /** Facts the system does not tell, e.g. `gpu: 8xH100`. */
  readonly declare: Readonly<Record<string, JsonValue>>;
  /** Flags of `goodput simulate`, by name, that stand in for those not given. */
  readonly service: ServiceKeys;
  readonly out: string | null;
}
