/** A certificate for 127.0.0.1 that lives as long as the benchmark. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerCertificate } from './sse-protocol.ts';

/** Made by `openssl`; `null` where there is none. */
export function makeCertificate(): ServerCertificate | null {
  const folder = mkdtempSync(join(tmpdir(), 'goodput-bench-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
    const to = ['-keyout', key, '-out', cert];
    execFileSync('openssl', [...make, ...to, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
