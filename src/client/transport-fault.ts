/** What an error of the HTTP layer means for the request. */
import type { FailureClass } from '../record/index.ts';
import { ConnectError } from './open-socket.ts';

/** The body ended before its framing said so; or the response is not HTTP; or no response came. */
export type TransportFault =
  | { readonly kind: 'cut' }
  | { readonly kind: 'failed'; readonly failure: FailureClass };

/** The parser met the end of the connection inside a body: a cut, not a malformed response. */
const CUT_CODES = ['HPE_INVALID_EOF_STATE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];
const PROTOCOL_CODES = ['UND_ERR_HEADERS_OVERFLOW'];

export function transportFaultOf(error: Error, headersSeen: boolean): TransportFault {
  if (error instanceof ConnectError) return { kind: 'failed', failure: error.failure };
  const { code = '' } = error as NodeJS.ErrnoException;
  if (headersSeen && CUT_CODES.includes(code)) return { kind: 'cut' };
  if (code.startsWith('HPE_') || PROTOCOL_CODES.includes(code)) {
    return { kind: 'failed', failure: 'protocol' };
  }
  return headersSeen ? { kind: 'cut' } : { kind: 'failed', failure: 'socket' };
}
