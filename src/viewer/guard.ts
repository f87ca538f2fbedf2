/** Who may ask the viewer what. Pure, so that every refusal can be tested without a socket. */
import { timingSafeEqual } from 'node:crypto';

export interface Asked {
  readonly method: string;
  /** The `Host` header; `null` when there is none. */
  readonly host: string | null;
  /** `Sec-Fetch-Site`: where a browser says the question comes from; `null` = not told. */
  readonly site: string | null;
  /** What the page's script shows; `null` = nothing. */
  readonly token: string | null;
}

export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/**
 * `null` when the question may be answered. A page of another origin can make a browser ask us, by a
 * link or by a name that resolves to this machine (DNS rebinding); it cannot choose `Host` to be
 * ours, nor read our page for the token.
 */
export function refusalOf(asked: Asked, port: number): Refusal | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (asked.host === null || !hosts.includes(asked.host.toLowerCase())) {
    return { status: 421, text: 'this server answers on 127.0.0.1 and localhost alone' };
  }
  if (asked.method !== 'GET' && asked.method !== 'HEAD') {
    return { status: 405, text: 'only GET and HEAD are answered' };
  }
  return null;
}

/** As {@link refusalOf}, for what makes the server work: asked by a page of ours alone. */
export function computingRefusal({ site, token }: Asked, expected: string): Refusal | null {
  if (site !== null && site !== 'same-origin') {
    return { status: 403, text: 'only a page of this server may ask that' };
  }
  const [given, known] = [Buffer.from(token ?? ''), Buffer.from(expected)];
  return given.length === known.length && timingSafeEqual(given, known)
    ? null
    : { status: 403, text: 'the page is of an earlier start of the viewer: load it again' };
}
