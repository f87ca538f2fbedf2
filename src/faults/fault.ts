import { NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';

/**
 * One thing that goes wrong with one answer. Counts of events are of the server's writes, the role
 * of a chat stream included.
 *
 * - `splitReads`: every write arrives in pieces of so many bytes, null = in two halves;
 * - `bunching`: a proxy gathers writes before it lets any through: so many, or for so long;
 * - `stall`: after so many events nothing comes for a while, then everything;
 * - `slowLoris`: the body trickles;
 * - `roleOnly`: so many deltas without output open the stream;
 * - `multiToken`: so many tokens share an event;
 * - `lateUsage`: what follows the finish reason, usage and end mark, comes late;
 * - `gzip`: the body is compressed although nobody asked for it;
 * - `reset`: the connection is reset after so many events;
 * - `missingTerminator`: the last output, the finish reason and the end mark never come, and the
 *   body ends as if it were complete;
 * - `errorEvent`: after so many events of a 200 an error is streamed, and nothing more;
 * - `hang`: there is no answer at all;
 * - `refuse`: an error in place of the answer.
 */
export type Fault =
  | { readonly kind: 'splitReads'; readonly pieceBytes: number | null }
  | {
      readonly kind: 'bunching';
      readonly gather:
        | { readonly kind: 'events'; readonly events: number }
        | { readonly kind: 'interval'; readonly intervalNs: number };
    }
  | { readonly kind: 'stall'; readonly afterEvents: number; readonly forNs: number }
  | { readonly kind: 'slowLoris'; readonly bytesPerSecond: number }
  | { readonly kind: 'roleOnly'; readonly deltas: number }
  | { readonly kind: 'multiToken'; readonly tokens: number }
  | { readonly kind: 'lateUsage'; readonly byNs: number }
  | { readonly kind: 'gzip' }
  | { readonly kind: 'reset'; readonly afterEvents: number }
  | { readonly kind: 'missingTerminator' }
  | {
      readonly kind: 'errorEvent';
      readonly afterEvents: number;
      readonly message: string;
      readonly type: string;
      readonly code: string | null;
    }
  | { readonly kind: 'hang' }
  | ({ readonly kind: 'refuse' } & Refusal);

/** An answer that is an error: its status, headers and OpenAI error body. */
export interface Refusal {
  /** 400 to 599, or what HTTP itself demands. */
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Overload: no limit was published, so there is no word of one. */
export const OVERLOAD: Refusal = {
  status: 503,
  type: 'service_unavailable',
  code: null,
  message: 'The server is overloaded.',
  headers: {},
};

/** A published limit on requests, with the evidence clients look for. */
export function overQuota(limit: string, retryAfterSeconds: number): Refusal {
  return {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: `Quota exceeded: ${limit}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

/**
 * The faults that have a name of their own, with the parameters they have where none are given. Four
 * of them are refusals: `quota429` and `bare429`, with and without word of a limit; `bare503` and
 * `retry503`, overloaded, without and with word of when to come back.
 */
export const NAMED_FAULTS = {
  splitReads: { kind: 'splitReads', pieceBytes: null },
  bunching: { kind: 'bunching', gather: { kind: 'events', events: 8 } },
  stall: { kind: 'stall', afterEvents: 2, forNs: 2 * NS_PER_SECOND },
  slowLoris: { kind: 'slowLoris', bytesPerSecond: 1_000 },
  roleOnly: { kind: 'roleOnly', deltas: 2 },
  multiToken: { kind: 'multiToken', tokens: 8 },
  lateUsage: { kind: 'lateUsage', byNs: 500 * NS_PER_MS },
  gzip: { kind: 'gzip' },
  reset: { kind: 'reset', afterEvents: 2 },
  missingTerminator: { kind: 'missingTerminator' },
  errorEvent: {
    kind: 'errorEvent',
    afterEvents: 2,
    message: 'The engine died.',
    type: 'internal_server_error',
    code: null,
  },
  hang: { kind: 'hang' },
  quota429: { kind: 'refuse', ...overQuota('an injected limit', 1) },
  bare429: { kind: 'refuse', ...OVERLOAD, status: 429, type: 'too_many_requests' },
  bare503: { kind: 'refuse', ...OVERLOAD },
  retry503: { kind: 'refuse', ...OVERLOAD, headers: { 'retry-after': '1' } },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof NAMED_FAULTS;

/** In the order of the documentation. */
export const FAULT_NAMES = Object.keys(NAMED_FAULTS) as readonly FaultName[];

/** Whether a fault is one of streams, so that an answer in one piece cannot meet it. */
export function isOfStreams({ kind }: Fault): boolean {
  return STREAM_FAULTS.has(kind);
}

const STREAM_FAULTS: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>([
  'splitReads',
  'bunching',
  'roleOnly',
  'multiToken',
  'lateUsage',
]);
