/**
 * Canaries: a key, prompts and answers that must be found nowhere. A server that tells everything
 * it was sent back, in every place a server can write to, is tested, compared, searched, judged,
 * rendered and viewed; then every file and every line of output is looked through.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

const KEY = 'sk-canary-key-4711';
const PROMPT = 'canary-prompt-0815';
const ANSWER = 'canary-answer-2342';
const HEADER = 'canary-header-1138';
/** As they are, and as they hide: in base64 of themselves, and escaped for an address. */
const CANARIES = [KEY, PROMPT, ANSWER, HEADER].flatMap((text) => [
  text,
  Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1),
]);

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += part.toString()));
  request.on('end', () => answer(request, response, body));
});
let url = '';
let asked = 0;

/** What was sent, told back: key, header and body. */
const echoOf = (request: IncomingMessage, body: string): string =>
  `${ANSWER} ${String(request.headers.authorization)} ${String(request.headers['x-team'])} ${body}`;

/** In turn a sound answer, an error, an error within the stream, and a cut one. */
function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const echo = echoOf(request, body);
  response.setHeader('x-echo', echo.replaceAll(/[^\x20-\x7e]/g, ' '));
  if (request.url === '/v1/models') {
    // What a server calls its owner is kept, less what it was sent.
    response.end(JSON.stringify({ data: [{ id: 'm', owned_by: echo.replace(ANSWER, '') }] }));
    return;
  }
  asked += 1;
  // The first few are the preflight's, which must find a server that works.
  const turn = asked < 8 ? 0 : asked % 4;
  if (turn === 1) {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: echo, type: echo, code: KEY, param: echo } }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const event = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\n\n`);
  for (let word = 0; word < 4; word += 1) {
    response.write(`: ${echo.replaceAll('\n', ' ')}\n\n`);
    event({ id: echo, model: echo, choices: [{ index: 0, delta: { content: `${echo} ` } }] });
  }
  if (turn === 2) event({ error: { message: echo, type: echo, code: echo } });
  if (turn === 3) return void response.destroy();
  event({ choices: [{ index: 0, delta: {}, finish_reason: asked % 8 === 0 ? echo : 'length' }] });
  event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 4, note: echo } });
  response.end('data: [DONE]\n\n');
}

describe('nothing secret is written or shown', { timeout: 240_000 }, () => {
  const cwd = emptyFolder();
  const env = { CANARY_KEY: KEY };
  const said: string[] = [];

  /** Runs a command that must come to an end of its own, however it judges this server. */
  async function goodput(...args: readonly string[]): Promise<void> {
    const { exitCode, stdout, stderr } = await runBuilt(args, { cwd, env });
    expect([0, 3, 4, 6], `goodput ${args.join(' ')}: ${stderr}`).toContain(exitCode);
    said.push(stdout, stderr);
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const prompts = Array.from({ length: 4 }, (_, at) =>
      JSON.stringify({ prompt: `${PROMPT} ${at}` }),
    );
    writeFileSync(join(cwd, 'prompts.jsonl'), `${prompts.join('\n')}\n`);
    const keyed = ['--key-env', 'CANARY_KEY'];
    const target = [...keyed, '--header', `x-team: ${HEADER}`];
    const load = [
      '--prompts',
      'prompts.jsonl',
      '--output',
      '4',
      '--slo',
      'ttft<=1s, attainment>=1%',
    ];
    const asking = [...target, ...load];
    const short = ['--rate', '40', '--duration', '1s'];

    await goodput('check', url, ...target);
    await goodput('run', url, ...asking, ...short, '--out', 'runs/one', '--explain');
    await goodput('run', url, ...asking, ...short, '--processes', '2', '--out', 'runs/two');
    await goodput(
      'run',
      url,
      ...asking,
      ...short,
      '--out',
      'runs/retried',
      '--retry',
      'attempts=2',
    );
    // A run file is the user's own and says which headers to send, so none is given here.
    await goodput('run', url, ...keyed, ...load, '--print-spec', ...short);
    for (const format of ['json', 'md', 'text']) {
      await goodput('judge', 'runs/one', '--format', format);
      await goodput('report', 'runs/one', '--format', format);
    }
    await goodput('report', 'runs/one', '--format', 'pr');
    await goodput(
      'report',
      'runs/one',
      'runs/two',
      '--html',
      'page.html',
      '--csv',
      'csv',
      '--svg',
      'svg',
    );
    await goodput('judge', 'runs/one', '--as', 'vllm-bench');
    await goodput('judge', 'runs/one/records-0.ndjson', '--slo', 'ttft<=1s', '--html', 'log.html');
    await goodput('objectives', 'suggest', 'runs/one');
    await goodput('gate', 'runs/two', '--baseline', 'runs/one', '--junit', 'gate.xml');
    await goodput('compare', 'runs/one', 'runs/two', '--markdown', 'c.md', '--json', 'c.json');
    await goodput('init', url, ...keyed, ...short, '--output', '4', '--input', '20');
    await viewed();
  }, 240_000);

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Every page of the viewer that it links to. */
  async function viewed(): Promise<void> {
    const { child, outcome } = startCommand(['view', 'runs'], { cwd, env });
    const address = await new Promise<string>((resolve) => {
      let text = '';
      child.stdout.on('data', (part: Buffer) => {
        text += part.toString();
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const index = await (await fetch(address)).text();
    said.push(index);
    for (const [, path = ''] of index.matchAll(/href="(\/[^"#]*)"/g)) {
      said.push(await (await fetch(new URL(path.replaceAll('&amp;', '&'), address))).text());
    }
    child.kill('SIGINT');
    const { stdout, stderr } = await outcome;
    said.push(stdout, stderr);
  }

  it('was told it all, in every way', () => {
    expect(asked).toBeGreaterThan(100);
    expect(said.length).toBeGreaterThan(30);
  });

  it('is in no line of output and no page', () => {
    for (const text of said) for (const canary of CANARIES) expect(text).not.toContain(canary);
  });

  it('is in no file but the prompts themselves', () => {
    const files = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'prompts.jsonl',
    );
    expect(files.length).toBeGreaterThan(25);
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'latin1');
      for (const canary of CANARIES) {
        expect(text.includes(canary), `${canary} in ${join(parentPath, name)}`).toBe(false);
      }
    }
  });
});
