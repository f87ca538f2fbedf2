/** What must hold between the keys that say how to connect. */
import type { Problem } from '../base/index.ts';
import type { Written } from './key-path.ts';
import { howToWrite, problemAt, subjectOf } from './problem-at.ts';
import type { ReadSections } from './run-file-schema.ts';
import { isUnixUrl } from './unix-url.ts';

/** A certificate without its key, and transports that cannot serve what is asked of them. */
export function connectionProblems({ target }: ReadSections, written: Written): Problem[] {
  if (target === undefined) return [];
  const problems: Problem[] = [];
  const conflict = (key: string, why: string, hint: string): void => {
    const path = ['target', key];
    const message = `${subjectOf(written, path)} ${why}`;
    problems.push(problemAt(written, path, 'conflict', { message, hint }));
  };
  const missing = (key: string, file: string, why: string): void => {
    const path = ['target', key];
    const message = `${subjectOf(written, path)} is missing: ${why}`;
    problems.push(
      problemAt(written, path, 'missing', { message, hint: howToWrite(written, path, file) }),
    );
  };
  const { cert, certKey, http2, transport, unixSocket, proxy, url } = target;
  if (cert !== undefined && certKey === undefined) {
    missing('certKey', 'key.pem', 'a certificate proves nothing without its key');
  }
  if (certKey !== undefined && cert === undefined) {
    missing('cert', 'cert.pem', 'a key is shown by its certificate');
  }
  if (cert !== undefined && !isTls(url)) {
    conflict('cert', 'is only shown over TLS', 'give an https URL');
  }
  if (http2 && transport === 'fast') {
    conflict('http2', 'is spoken by the compat transport only', 'leave --transport out');
  }
  if (http2 && !isTls(url)) {
    conflict('http2', 'is agreed on in the TLS handshake', 'give an https URL');
  }
  if (unixSocket !== undefined && isUnixUrl(url)) {
    conflict('unixSocket', 'is another socket than the URL names', 'give one of the two');
  }
  if ((unixSocket !== undefined || isUnixUrl(url)) && proxy !== undefined) {
    const named = unixSocket === undefined ? 'url' : 'unixSocket';
    conflict(named, 'cannot be reached through a proxy', 'give one of the two');
  }
  return problems;
}

function isTls(url: string): boolean {
  return /^https(?:\+unix)?:\/\//i.test(url);
}
