/** What an error of undici means for the request. */
import { errors } from 'undici';
import { ConnectError } from './open-socket.ts';
import type { TransportFault } from './transport.ts';

/** undici leaves the parser's code out, so its reason for "ended inside a body" is all there is. */
const ENDED_INSIDE_BODY = 'Invalid EOF state';

export function transportFaultOf(error: Error, headSeen: boolean): TransportFault {
  if (error instanceof ConnectError) {
    const { failure, connectedNs } = error;
    return { kind: 'failed', failure, connectedNs, cause: error };
  }
  const malformed =
    error instanceof errors.HeadersOverflowError ||
    (error instanceof errors.HTTPParserError && !error.message.includes(ENDED_INSIDE_BODY));
  if (!malformed && headSeen) return { kind: 'cut' };
  const failure = malformed ? 'protocol' : 'socket';
  return { kind: 'failed', failure, connectedNs: null, cause: error };
}
