/** Certificates that live as long as a test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM texts. */
export interface CertifiedKey {
  readonly key: string;
  readonly cert: string;
}

/** One for a server at 127.0.0.1, `localhost` and one for its client, made by `openssl`; `null` without it. */
export function makeCertificates(): {
  readonly server: CertifiedKey;
  readonly client: CertifiedKey;
} | null {
  const folder = mkdtempSync(join(tmpdir(), 'goodput-tls-'));
  const make = (name: string, more: readonly string[]): CertifiedKey => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const to = ['-nodes', '-days', '2', '-keyout', key, '-out', cert];
    execFileSync('openssl', [...args, ...to, ...more], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  };
  try {
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    return { server: make('server', name), client: make('client', ['-subj', '/CN=load']) };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
