/** One HTTP request and its response, without anything the routes need to know about sockets. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, parseObject, type JsonObject } from '../wire/index.ts';
import { badRequest, type ApiError } from './api-error.ts';

/** Prompts of a million tokens fit. */
const BODY_BYTES_LIMIT = 32 * 1_024 * 1_024;

/** The JSON object in a request body, or why there is none; null when the client went away. */
export async function readJsonBody(
  request: IncomingMessage,
): Promise<
  | { readonly kind: 'ok'; readonly body: JsonObject }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | null
> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      // Read on past the limit: leaving early would cut the connection before it gets an answer.
      if (bytes <= BODY_BYTES_LIMIT) pieces.push(piece);
    }
  } catch {
    return null;
  }
  if (bytes > BODY_BYTES_LIMIT) {
    return { kind: 'refused', error: { ...badRequest('The body is too large.'), status: 413 } };
  }
  const body = parseObject(Buffer.concat(pieces).toString('utf8'));
  if (body === null)
    return { kind: 'refused', error: badRequest('The body is not a JSON object.') };
  return { kind: 'ok', body };
}

export function sendJson(response: ServerResponse, body: JsonObject): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** `bodyOf`: an error in the words of the API that was asked, OpenAI's unless said otherwise. */
export function sendError(response: ServerResponse, error: ApiError, bodyOf = errorBody): void {
  const { status, headers, message, type, code } = error;
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(bodyOf({ message, type, code }));
}
