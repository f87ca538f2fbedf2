/** What a server says of one request it served: an OpenTelemetry span, or a row like it. */

/** Durations are on the server's clock, in nanoseconds. `null` = the server does not say. */
export interface ServerSpan {
  /** As the server logs it: the client's `x-request-id`, often between a prefix and a suffix. */
  readonly requestId: string | null;
  /** 32 lower-case hex digits. */
  readonly traceId: string | null;
  /** Who made the span, e.g. `vllm-server`. */
  readonly service: string | null;
  /** From where the server begins to count until its first token. */
  readonly ttftNs: number | null;
  /** Of `ttftNs`, before the first step that worked on it. */
  readonly queueNs: number | null;
  /** Of `ttftNs`, from the end of the wait to the first token. */
  readonly prefillNs: number | null;
  /** From the first token to the last. */
  readonly decodeNs: number | null;
  /** The whole of it. */
  readonly e2eNs: number | null;
  readonly outputTokens: number | null;
}
