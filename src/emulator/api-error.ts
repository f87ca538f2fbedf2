/** A refusal as the API tells it: status, headers and an OpenAI error body. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request itself is wrong. */
export function badRequest(message: string, code: string | null = null): ApiError {
  return { status: 400, type: 'invalid_request_error', code, message, headers: {} };
}

export function notFound(message: string, code: string | null = null): ApiError {
  return { status: 404, type: 'invalid_request_error', code, message, headers: {} };
}

/** The prompt with its answer is longer than the model can hold. A published limit. */
export function contextTooLong(maxTokens: number, askedTokens: number): ApiError {
  return badRequest(
    `This model's maximum context length is ${maxTokens} tokens, and ${askedTokens} were requested.`,
    'context_length_exceeded',
  );
}

/** A published limit on requests, with the evidence clients look for. */
export function overQuota(limit: string, retryAfterSeconds: number): ApiError {
  return {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: `Quota exceeded: ${limit}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

/** Overload as a router tells it that gave up waiting for a free server. */
export const QUEUE_TIMEOUT: ApiError = {
  status: 503,
  type: 'service_unavailable',
  code: null,
  message: 'The request waited too long for its turn.',
  headers: {},
};

/** Overload: no limit was published, so there is no word of one. */
export const OVERLOADED: ApiError = {
  status: 503,
  type: 'service_unavailable',
  code: null,
  message: 'The server is overloaded.',
  headers: {},
};
