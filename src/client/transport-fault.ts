/** What an error of the HTTP layer means for the request. */
import { errors } from 'undici';
import type { FailureClass } from '../record/index.ts';
import { ConnectError } from './open-socket.ts';

/** `cut`: the connection was lost inside the body. */
export type TransportFault =
  | { readonly kind: 'cut' }
  | { readonly kind: 'failed'; readonly failure: FailureClass };

/** undici leaves the parser's code out, so its reason for "ended inside a body" is all there is. */
const ENDED_INSIDE_BODY = 'Invalid EOF state';

export function transportFaultOf(error: Error, headersSeen: boolean): TransportFault {
  if (error instanceof ConnectError) return { kind: 'failed', failure: error.failure };
  const malformed =
    error instanceof errors.HeadersOverflowError ||
    (error instanceof errors.HTTPParserError && !error.message.includes(ENDED_INSIDE_BODY));
  if (malformed) return { kind: 'failed', failure: 'protocol' };
  return headersSeen ? { kind: 'cut' } : { kind: 'failed', failure: 'socket' };
}
