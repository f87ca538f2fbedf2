/** What load to make, as the user states it. Pure data; `schedule.ts` turns it into requests. */
import type { SessionSource, ThinkTime } from './session-spec.ts';

/** Distribution of a token count. All draws are whole, ≥ `min` ≥ 1 and ≤ `max`. */
export type LengthDistribution =
  | { readonly kind: 'fixed'; readonly tokens: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  /** exp(N(ln median, sigma²)), truncated to a whole number, then clamped. */
  | {
      readonly kind: 'lognormal';
      readonly median: number;
      readonly sigma: number;
      readonly min: number;
      readonly max: number;
    }
  /** Draws one of the values with probability proportional to its weight. */
  | {
      readonly kind: 'empirical';
      readonly values: readonly { readonly tokens: number; readonly weight: number }[];
    };

/** Spacing of open-loop arrivals with mean rate. */
export type ArrivalProcess =
  | { readonly kind: 'constant' }
  | { readonly kind: 'poisson' }
  /** Gamma gaps with coefficient of variation `cv`: 1 is Poisson, larger is burstier. */
  | { readonly kind: 'gamma'; readonly cv: number };

/** What the prefix cache may reuse. Stated in every verdict. */
export type PrefixPolicy =
  /** Every prompt starts with text no other prompt of any run has. The default. */
  | { readonly kind: 'unique' }
  /** The first `tokens` of every prompt are one of `groups` fixed texts, on purpose. */
  | { readonly kind: 'shared'; readonly tokens: number; readonly groups: number }
  /** As the source has it (prompt file, raw bodies, trace blocks). */
  | { readonly kind: 'asGiven' };

/** Synthetic prompts of one kind. */
export interface SyntheticPrompts {
  readonly input: LengthDistribution;
  readonly output: LengthDistribution;
  readonly prefix: PrefixPolicy;
}

/** One of several kinds of requests that come mixed. */
export interface RequestClass extends SyntheticPrompts {
  /** Label of its records: `worst(class)` judges by it. Unlike any other class's. */
  readonly name: string;
  /** Its share of the requests is this over the sum of all weights. > 0. */
  readonly weight: number;
  /** vLLM's: whole number, smaller goes first. */
  readonly priority: number;
}

/** Where prompts come from. File contents are read at the edge and given as entries. */
export type PromptSource =
  | ({ readonly kind: 'synthetic' } & SyntheticPrompts)
  /** Each request is of a class drawn by weight: of Poisson arrivals, each class has its own. */
  | { readonly kind: 'classes'; readonly classes: readonly RequestClass[] }
  /** Prompts of a text or JSONL file, or of ShareGPT conversations. */
  | {
      readonly kind: 'prompts';
      readonly path: string;
      readonly entries: readonly PromptEntry[];
      /** Used where an entry has no length of its own. */
      readonly output: LengthDistribution;
      readonly order: 'sequential' | 'shuffled';
      readonly prefix: PrefixPolicy;
    }
  /** Raw request bodies, sent as they are (only model, stream and usage options are set). */
  | {
      readonly kind: 'bodies';
      readonly path: string;
      readonly entries: readonly BodyEntry[];
      readonly order: 'sequential' | 'shuffled';
    }
  /** Lengths (and blocks) from a trace; text is synthetic. */
  | { readonly kind: 'trace'; readonly path: string; readonly rows: readonly TraceRow[] }
  | SessionSource;

export interface PromptEntry {
  readonly text: string;
  /** Known token count, `null` if not told. */
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly label: string | null;
}

export interface BodyEntry {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Arrival since start, for replay; `null` = by the arrival process. */
  readonly atNs: number | null;
  readonly label: string | null;
}

/** One request of a trace. */
export interface TraceRow {
  readonly atNs: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Ids of the prompt's blocks in order; equal leading ids are a reusable prefix. */
  readonly blockIds: readonly number[] | null;
  /** Tokens per block; `null` without blocks. */
  readonly blockTokens: number | null;
  readonly session: string | null;
}

/** One load point: the workload offered at one level. */
export type LoadShape =
  | {
      readonly kind: 'rate';
      readonly rateRps: number;
      readonly arrivals: ArrivalProcess;
      readonly durationNs: number;
      /** Stop after this many, if sooner. */
      readonly maxRequests: number | null;
    }
  /** Closed loop: `streams` always in flight. */
  | {
      readonly kind: 'concurrency';
      readonly streams: number;
      readonly durationNs: number;
      readonly maxRequests: number;
    }
  /** Closed loop: each user waits for the answer, thinks, then asks again. */
  | {
      readonly kind: 'users';
      readonly users: number;
      readonly think: ThinkTime;
      readonly durationNs: number;
      readonly maxRequests: number;
    }
  /** Sessions that arrive on their own; within each, a turn waits for the answer before it. */
  | {
      readonly kind: 'sessions';
      readonly sessionsPerSecond: number;
      readonly arrivals: ArrivalProcess;
      /** Before each later turn; a traced session has its own. */
      readonly think: ThinkTime;
      readonly durationNs: number;
      /** No session is begun whose turns would pass this many requests. */
      readonly maxRequests: number | null;
    }
  /** Replay of the trace's arrivals; `timeScale` 10 = ten times as fast. */
  | {
      readonly kind: 'trace';
      readonly timeScale: number;
      /** Replay window in trace time, before scaling. */
      readonly fromNs: number;
      readonly durationNs: number;
      readonly maxRequests: number | null;
    };

/** The seeds a user gives: equal seeds give equal arrivals, lengths and order of prompts. */
export interface Seeds {
  readonly arrivals: number;
  readonly lengths: number;
  /** Order of a prompt file, groups of shared prefixes. */
  readonly prompts: number;
}

/** The seeds a schedule is planned with. */
export interface ScheduleSeeds extends Seeds {
  /**
   * Of prompt text that must be unique. Fresh for every run: with the same one, a second run would
   * be served from the prefix cache that the first one filled.
   */
  readonly text: number;
}
