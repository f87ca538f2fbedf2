/** A run with a client certificate: its private key is used, and found in nothing the run leaves. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, runBuilt } from '../support/built-command.ts';
import { makeCertificates } from '../support/certificates.ts';
import { sse } from '../support/wire-reading.ts';

const made = makeCertificates();
const folder = emptyFolder();
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(made === null)('the key of --cert-key is in no output (needs openssl)', async () => {
  const { server: own, client } = made as NonNullable<typeof made>;
  const shown = new Set<boolean>();
  const server = createServer(
    { ...own, ca: client.cert, requestCert: true },
    (request, response) => {
      shown.add(
        request.socket instanceof Object &&
          'authorized' in request.socket &&
          request.socket.authorized === true,
      );
      if (request.method === 'GET') {
        const isModels = request.url === '/v1/models';
        response.writeHead(isModels ? 200 : 404, { 'content-type': 'application/json' });
        response.end(isModels ? '{"data":[{"id":"m"}]}' : '{}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        [sse.content('a'), sse.content('b'), sse.finish(), sse.usage(2), sse.done()].join(''),
      );
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const out = join(folder, 'run');
  try {
    const tls = `--ca ${file('ca.pem', own.cert)} --cert ${file('cert.pem', client.cert)}`;
    const load = '--rate 4 --duration 2s --input 16 --output 8 --slo ttft<=9s';
    const flags = `${tls} --cert-key ${file('key.pem', client.key)} ${load} --out ${out}`;
    const outcome = await runBuilt(['run', `https://127.0.0.1:${port}`, ...flags.split(' ')]);
    const left = readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    const all = [outcome.stdout, outcome.stderr, ...left].join('\n');
    expect(shown).toEqual(new Set([true]));
    expect(all).toContain('cert.pem');
    const lines = client.key.split('\n').filter((line) => line !== '' && !line.startsWith('-'));
    for (const line of ['PRIVATE KEY', ...lines]) expect(all).not.toContain(line);
  } finally {
    server.close();
  }
});
