import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { loopbackCertificate } from './loopback-certificate.ts';

it('is a certificate of 127.0.0.1 that signs itself, with a key of its own', () => {
  const [one, other] = [loopbackCertificate(), loopbackCertificate()];
  const read = new X509Certificate(one.cert);
  expect(read.subjectAltName).toBe('IP Address:127.0.0.1');
  expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.ca).toBe(true);
  expect(other.key).not.toBe(one.key);
  expect(new X509Certificate(other.cert).serialNumber).not.toBe(read.serialNumber);
});

it('is trusted by whoever is given it, and by nobody else', async () => {
  const made = loopbackCertificate();
  const server = createServer(made, (socket) => socket.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const trusting = connect({ host: '127.0.0.1', port, ca: made.cert });
    const [text] = (await once(trusting, 'data')) as [Buffer];
    expect(text.toString()).toBe('hello');
    const stranger = connect({ host: '127.0.0.1', port });
    const [refused] = (await once(stranger, 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toMatch(/SELF_SIGNED/);
  } finally {
    server.close();
  }
});
