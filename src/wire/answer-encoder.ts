/** What the server's side of a dialect must do: the emulator writes with it, the reader reads it back. */
import type { FinishReason, OutputKind, Usage } from '../record/index.ts';

/** What is the same in every event of one answer. */
export interface AnswerHead {
  readonly id: string;
  /** Unix time in seconds. */
  readonly createdSeconds: number;
  readonly model: string;
}

/** The same for dialects that tell more of a request before they answer it. */
export interface FullAnswerHead extends AnswerHead {
  /** The same instant as ISO 8601. */
  readonly createdIso: string;
  readonly promptTokens: number;
}

/** A whole answer, for a body that is not streamed. */
export interface WholeAnswer {
  readonly content: Readonly<Partial<Record<OutputKind, string>>>;
  readonly finishReason: FinishReason;
  readonly usage: Usage | null;
}

/** An error as servers send it: in a 4xx/5xx body, or inside a stream. */
export interface EncodedError {
  readonly message: string;
  readonly type: string;
  readonly code: string | number | null;
}

/** How a stream closes. */
export interface StreamEnd {
  readonly finishReason: FinishReason;
  /** The running total, where every event carries one. */
  readonly runningUsage: Usage | null;
  /** The closing usage. Null where it was not asked for; dialects that always tell it need it. */
  readonly usage: Usage | null;
}

/** Writes one answer. Each text is one or more complete events; a body is plain JSON. */
export interface AnswerEncoder {
  /** Media type of a stream. */
  readonly mediaType: string;
  /** What must come first in a stream; `''` where there is no such thing. */
  open(): string;
  /** An event before any output that may be left out: the role in chat, else `''`. */
  start(usage: Usage | null): string;
  /** An output event. `usage` is the running total, where the client asked for it. */
  output(kind: OutputKind, text: string, usage: Usage | null): string;
  /** The last events: up to the finish reason, if that comes before usage, and what follows. */
  end(end: StreamEnd): { readonly finish: string; readonly rest: string };
  body(answer: WholeAnswer): string;
  /** An error inside a stream that began with 200. */
  errorEvent(error: EncodedError): string;
}
