/** What an error of undici means for the request. */
import { errors } from 'undici';
import { ConnectError } from './open-socket.ts';
import type { TransportFault } from './transport.ts';

/** undici leaves the parser's code out, so its reason for "ended inside a body" is all there is. */
const ENDED_INSIDE_BODY = 'Invalid EOF state';

/** What undici says of a response that it would not take: 101, and an unasked 100. */
const REFUSED = ['bad upgrade', 'bad response'];

export function transportFaultOf(error: Error, headSeen: boolean): TransportFault {
  if (error instanceof ConnectError) {
    const { failure, connectedNs } = error;
    return { kind: 'failed', failure, connectedNs, cause: error };
  }
  const malformed = isMalformed(error, headSeen);
  if (!malformed && headSeen) return { kind: 'cut' };
  const failure = malformed ? 'protocol' : 'socket';
  return { kind: 'failed', failure, connectedNs: null, cause: error };
}

function isMalformed(error: Error, headSeen: boolean): boolean {
  if (error instanceof errors.HeadersOverflowError) return true;
  if (error instanceof errors.HTTPParserError) return !error.message.includes(ENDED_INSIDE_BODY);
  if (error instanceof errors.SocketError) return REFUSED.includes(error.message);
  // Before the body it stands for a parser error in a head that names a length.
  return error instanceof errors.ResponseContentLengthMismatchError && !headSeen;
}
