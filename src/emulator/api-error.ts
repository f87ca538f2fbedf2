import type { Refusal } from '../faults/index.ts';

/** A refusal as the API tells it. */
export type ApiError = Refusal;

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

/** Overload as a router tells it that gave up waiting for a free server. */
export const QUEUE_TIMEOUT: ApiError = {
  status: 503,
  type: 'service_unavailable',
  code: null,
  message: 'The request waited too long for its turn.',
  headers: {},
};
