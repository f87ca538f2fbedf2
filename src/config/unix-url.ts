/** URLs that name a Unix socket for a host, as requests-unixsocket and Docker's clients write them. */
import { withHint } from './scalars.ts';

/** What such a URL says, taken apart. */
export interface UnixUrl {
  /** The URL of what is behind the socket: the host goes without saying. */
  readonly url: string;
  /** Absolute path of the socket. */
  readonly socket: string;
}

const SCHEME = /^(https?)\+unix:\/\//i;
const LIKE = 'write http+unix://%2Frun%2Fllm.sock, each slash of the path as %2F';

/** Whether it is a URL of this kind, well written or not. */
export function isUnixUrl(text: string): boolean {
  return SCHEME.test(text);
}

/** What is wrong with a URL of this kind; `null` when nothing is. */
export function unixUrlFault(text: string): string | null {
  const read = readUnixUrl(text);
  if (read !== null) return null;
  return withHint('does not name a Unix socket by its absolute path', LIKE);
}

/**
 * `http+unix://%2Frun%2Fllm.sock/v1` is `/v1` of `http://localhost` behind `/run/llm.sock`; `null` for a
 * URL of another kind and for one that names no absolute path.
 */
export function readUnixUrl(text: string): UnixUrl | null {
  const [whole = '', protocol = ''] = SCHEME.exec(text) ?? [];
  if (protocol === '') return null;
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(text.slice(whole.length)) ?? [];
  const socket = decoded(host);
  const isPath = socket?.startsWith('/') === true && !socket.includes('\0') && socket.length > 1;
  return isPath ? { url: `${protocol.toLowerCase()}://localhost${rest}`, socket } : null;
}

function decoded(host: string): string | null {
  try {
    return decodeURIComponent(host);
  } catch {
    return null;
  }
}
