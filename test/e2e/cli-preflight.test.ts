/** What the built command finds out, and says, before it spends a request of the load. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

interface Asked {
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly stream_options?: unknown;
}
type Answer = (response: ServerResponse, asked: Asked, request: IncomingMessage) => void;

/** A server with one model; `answer` takes every POST. */
async function serverThat(answer: Answer, model: object = { id: 'm' }): Promise<string> {
  const started = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      if (request.method === 'POST') answer(response, JSON.parse(text) as Asked, request);
      else response.end(JSON.stringify({ data: [model] }));
    });
  });
  server = started;
  await new Promise<void>((resolve) => {
    started.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

/** A whole streamed answer of `words` events. */
function streamed(
  response: ServerResponse,
  words: number,
  options: { usage: boolean; finish: string },
): void {
  const event = (body: object): void => void response.write(`data: ${JSON.stringify(body)}\n\n`);
  response.setHeader('content-type', 'text/event-stream');
  for (let word = 0; word < words; word += 1) {
    event({ choices: [{ index: 0, delta: { content: 'w ' }, finish_reason: null }] });
  }
  event({ choices: [{ index: 0, delta: {}, finish_reason: options.finish }] });
  if (options.usage) event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: words } });
  response.end('data: [DONE]\n\n');
}

const SHORT = ['--rate', '20', '--duration', '500ms', '--input', '20', '--output', '4'];

describe('before the load', () => {
  it('says that tpot will stay unknown where no usage is reported', async () => {
    const url = await serverThat((response) => {
      streamed(response, 4, { usage: false, finish: 'length' });
    });
    const { stderr } = await runBuilt(['run', url, ...SHORT, '--slo', 'tpot<=40ms']);
    expect(stderr).toMatch(/note: the server reports no token usage.*gap<=/);
    const gap = await runBuilt(['run', url, ...SHORT, '--slo', 'gap<=40ms']);
    expect(gap.stderr).not.toContain('note:');
  });

  it('says that requests are longer than the model takes', async () => {
    const model = { id: 'm', max_model_len: 1000 };
    const url = await serverThat((response) => {
      streamed(response, 4, { usage: true, finish: 'length' });
    }, model);
    const { stderr } = await runBuilt(['run', url, ...SHORT, '--input', '997']);
    expect(stderr).toMatch(/note: the longest request may take 1001 tokens.*at most 1000/);
    const fitting = await runBuilt(['run', url, ...SHORT, '--input', '996']);
    expect(fitting.stderr).not.toContain('note:');
  });

  it('does not take a talkative model for exact lengths', async () => {
    const url = await serverThat((response, { max_tokens: limit = 16 }) => {
      streamed(response, limit, { usage: true, finish: 'stop' });
    });
    const { exitCode, stderr } = await runBuilt(['run', url, ...SHORT, '--exact']);
    expect(stderr).toContain('E_UNSUPPORTED');
    expect(exitCode).toBe(2);
  });

  it('asks for a one-word answer when it tries exact lengths', async () => {
    const asked: string[] = [];
    const url = await serverThat((response, body) => {
      asked.push(JSON.stringify(body));
      streamed(response, 3, { usage: true, finish: 'stop' });
    });
    await runBuilt(['check', url]);
    const exact = asked.filter((text) => text.includes('ignore_eos'));
    expect(exact).toHaveLength(1);
    expect(exact[0]).toContain('Answer with the one word yes');
  });

  it('refuses a server that takes no POST, with exit code 5', async () => {
    const url = await serverThat((response) => {
      response.statusCode = 501;
      response.end();
    });
    for (const command of [
      ['run', url, ...SHORT],
      ['check', url],
    ]) {
      const { exitCode, stderr } = await runBuilt(command);
      expect(stderr).toMatch(/HTTP 501 \[E_TARGET_REFUSED\]\n {2}hint: .*OpenAI-compatible/);
      expect(exitCode).toBe(5);
    }
  });

  it('says which API the server speaks, where it is not the one asked for', async () => {
    const started = createServer((request, response) => {
      if (request.url === '/props') response.end('{"default_generation_settings":{}}');
      else response.writeHead(404).end();
    });
    server = started;
    await new Promise<void>((resolve) => {
      started.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
    const { exitCode, stderr } = await runBuilt(['check', url, '--model', 'm']);
    expect(stderr).toMatch(/HTTP 404 \[E_TARGET_REFUSED\]\n {2}hint: .*try --api llamacpp/);
    expect(exitCode).toBe(5);
  });

  it('has no TTFT to show of an answer that came as a whole', async () => {
    const url = await serverThat((response) => {
      response.setHeader('content-type', 'application/json');
      const message = { role: 'assistant', content: 'yes' };
      const usage = { prompt_tokens: 20, completion_tokens: 1 };
      response.end(
        JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
      );
    });
    const { stdout } = await runBuilt(['check', url, '--no-stream', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ preflight: { answer: { ttftNs: null } } });
  });

  it('refuses a folder that is taken before it sends anything', async () => {
    let requests = 0;
    const url = await serverThat((response) => {
      requests += 1;
      streamed(response, 4, { usage: true, finish: 'stop' });
    });
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'mine.txt'), 'mine');
    for (const force of [[], ['--force']]) {
      const taken = await runBuilt(['run', url, ...SHORT, '--out', '.', ...force], { cwd });
      expect(taken.stderr).toContain('is not empty and holds no run [E_USAGE_CONFLICT]');
      expect(taken.exitCode).toBe(2);
    }
    expect(requests).toBe(0);
    expect(readdirSync(cwd)).toEqual(['mine.txt']);
  });
});

describe('Ctrl-C before the load', () => {
  it('ends at once, writes nothing and exits 130', async () => {
    let onAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    // Takes the probe and never answers it.
    const url = await serverThat(() => onAsked());
    const cwd = emptyFolder();
    const { child, outcome } = startCommand(['run', url, ...SHORT, '--exact', '--out', 'r'], {
      cwd,
    });
    await asked;
    child.kill('SIGINT');
    const { exitCode, stdout, stderr } = await outcome;
    expect(stderr).toContain('interrupted before the load');
    expect(stdout).toBe('');
    expect(exitCode).toBe(130);
    expect(existsSync(join(cwd, 'r'))).toBe(false);
  });
});

describe('the key', () => {
  it('goes bare into the header that is named, and nowhere else', async () => {
    const keys = new Set<unknown>();
    const bearers = new Set<unknown>();
    const url = await serverThat((response, _asked, request) => {
      keys.add(request.headers['api-key']);
      bearers.add(request.headers.authorization);
      streamed(response, 4, { usage: true, finish: 'stop' });
    });
    const cwd = emptyFolder();
    const key = ['--key-env', 'K', '--key-header', 'API-Key'];
    const env = { K: 'CANARYKEY' };
    const run = ['run', url, ...SHORT, ...key, '--out', 'r', '--explain'];
    const { stdout, stderr } = await runBuilt(run, { cwd, env });
    const spec = await runBuilt(['run', url, ...SHORT, ...key, '--print-spec'], { cwd, env });
    const checked = await runBuilt(['check', url, ...key, '--format', 'json'], { cwd, env });
    expect([...keys]).toEqual(['CANARYKEY']);
    expect([...bearers]).toEqual([undefined]);
    expect(spec.stdout).toContain('keyHeader: api-key');
    const dir = join(cwd, 'r');
    const files = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const text of [...files, stdout, stderr, spec.stdout, checked.stdout, checked.stderr]) {
      expect(text).not.toContain('CANARY');
    }
  });

  it('is not repeated when it was written in the place of a name', async () => {
    const mistakes = [
      ['--key-header', 'api-key: sk-CANARY'],
      ['--key-header', 'content-type'],
      ['--key-header', 'x-key-of', '--header', 'X-Key-Of: CANARY'],
    ];
    for (const flags of mistakes) {
      const { exitCode, stderr } = await runBuilt([
        'run',
        'http://127.0.0.1:1',
        ...SHORT,
        ...flags,
      ]);
      expect(stderr).toMatch(/E_USAGE_(VALUE|CONFLICT)/);
      expect(stderr).toContain('--key-header');
      expect(stderr).not.toContain('CANARY');
      expect(exitCode).toBe(2);
    }
  });
});
