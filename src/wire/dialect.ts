/** What the client needs of an API dialect: a request body, and a reader of the answer's bytes. */
import type { JsonValue } from '../base/index.ts';
import type {
  DraftTokens,
  FailureClass,
  FinishReason,
  OutputEvents,
  OutputKind,
  ServerError,
  Usage,
} from '../record/index.ts';
import type { JsonObject } from './json-object.ts';

/** What somebody said, in words alone. */
export interface SaidMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * The prompt of a request. A `body` is the user's own: only stream and usage options are set. A
 * `conversation` is written as the API has it, and as one text, a message a line, where the API takes
 * plain prompts only.
 */
export type PromptInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'conversation'; readonly messages: readonly SaidMessage[] }
  | { readonly kind: 'messages'; readonly messages: readonly JsonValue[] }
  | { readonly kind: 'body'; readonly body: Readonly<Record<string, JsonValue>> };

/** One request before it is written in a dialect. */
export interface RequestIntent {
  /** `null` only with a body that names its own. */
  readonly model: string | null;
  readonly prompt: PromptInput;
  /** `null` leaves the length to the server. */
  readonly maxTokens: number | null;
  /** Name of the chat dialect's length field: newer OpenAI models know only the second. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Exactly `maxTokens` tokens, where the dialect can force that. */
  readonly exactTokens: boolean;
  readonly stream: boolean;
  /** Asks where asking is needed; `perEvent`: for running totals in every event (vLLM). */
  readonly usage: 'none' | 'final' | 'perEvent';
  /** Extra body fields, merged last; they may not contradict the fields above. */
  readonly extra: Readonly<Record<string, JsonValue>>;
}

export interface ReaderOptions {
  readonly stream: boolean;
  /** `n` of the request body. More than one choice fails as `multipleChoices`, at the end. */
  readonly requestedChoices: number;
  readonly lineBytes: number;
  /** Keep the answer text in memory for checks. */
  readonly keepText: boolean;
  /** Hears the content of every output event, kind by kind, as it is read. */
  readonly onOutput?: OutputListener | undefined;
}

export type OutputListener = (kind: OutputKind, text: string) => void;

/** All that the bytes of one answer said. Instants are the reads' stamps. */
export interface AnswerReading {
  readonly firstEventNs: number | null;
  readonly lastChoicesEventNs: number | null;
  readonly usageAtNs: number | null;
  readonly finishNs: number | null;
  readonly terminalNs: number | null;
  readonly output: OutputEvents;
  readonly usage: Usage | null;
  readonly draft: DraftTokens | null;
  readonly finishReason: FinishReason | null;
  readonly commentCount: number;
  /** Machine words for oddities that did not change the outcome. */
  readonly notes: readonly string[];
  readonly failure: FailureClass | null;
  /** What the server said, when `failure` is `serverError`. */
  readonly error: ServerError | null;
  /** Queue time the server reported. */
  readonly queueNs: number | null;
  /** Answer text; `null` unless it was to be kept. */
  readonly text: string | null;
}

/** `ended`: the end mark was seen. In both that and `failed` no further byte changes anything. */
export type ReaderState = 'open' | 'ended' | 'failed';

/** Reads the body of one answer. Sans-I/O: bytes and stamps in, a reading out. */
export interface AnswerReader {
  /**
   * Bytes of the socket read `readId`, stamped `atNs` before any parsing: all of `bytes`, or those
   * `from` … `to`. Returns the state after them.
   */
  push(bytes: Uint8Array, atNs: number, readId: number, from?: number, to?: number): ReaderState;
  /** The body is over: `complete` by its framing, or `cut` off. Decides truncated and empty. */
  end(how: 'complete' | 'cut'): void;
  readonly state: ReaderState;
  /** Made anew at each call: ask for it at the end. */
  readonly reading: AnswerReading;
}

/** Where a request goes and what is sent there. */
export interface PostedRequest {
  /** Of the server, or below the versioned API: see {@link Dialect.under}. */
  readonly path: string;
  /** Query parameters; a parameter of the same name in the target's URL wins. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How to find a streamed answer that is not the answer to the request, but where that one says. */
export interface FollowedAnswer {
  /** URL of the stream, from the JSON that answered the request; `null` when it names none. */
  streamUrl(answer: JsonObject): string | null;
  /**
   * Domains of the service, lower case. A stream elsewhere than at the target is fetched only over
   * TLS, and only when the target and it are both in these: anything else is a redirect.
   */
  readonly domains: readonly string[];
}

/** Media types an answer may have, lower case; the first is asked for. */
export type MediaTypes = readonly [string, ...string[]];

/** One API dialect. Another dialect is another file that exports one of these. */
export interface Dialect {
  readonly name: string;
  /** Whose API it is, for help and messages. */
  readonly title: string;
  /**
   * `api`: paths are below a version, which is `version` where the base URL has none.
   * `root`: paths are the server's own.
   */
  readonly under: 'api' | 'root';
  readonly version: string;
  /** Lower-case name of the header that carries the key unless the user names another. */
  readonly keyHeader: string;
  /** Variable that usually holds the key; a key of another service must never be sent. */
  readonly keyEnv: string | null;
  /** AWS service that signatures of requests are for, where they are taken in place of a key. */
  readonly awsService: string | null;
  /** Headers the API demands, lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaTypes: { readonly stream: MediaTypes; readonly body: MediaTypes };
  /** Of a streamed request; `null` where what answers it is the stream. */
  readonly follow: FollowedAnswer | null;
  /** Whether the server lists its models at `/models` below the version, in OpenAI's form. */
  readonly listsModels: boolean;
  /** Whether an answer length can be forced. */
  readonly exactLength: boolean;
  /** `asked`: usage, final or per event, comes if the body asks. `always`: as the API has it. */
  readonly usage: 'asked' | 'always';
  /** A GET below the root that only such a server answers with this field; `null` for none. */
  readonly signature: { readonly path: string; readonly field: string } | null;
  /**
   * The body, with the model as its `model` field even where the API has it in the path.
   *
   * Errors: ProblemsError when `extra` or a given body contradicts what the measurement relies on,
   * or when the API cannot do what the intent asks.
   */
  buildBody(intent: RequestIntent): Record<string, unknown>;
  /** What is sent for a body that {@link buildBody} made. */
  post(body: Readonly<Record<string, unknown>>, stream: boolean): PostedRequest;
  createReader(options: ReaderOptions): AnswerReader;
}
