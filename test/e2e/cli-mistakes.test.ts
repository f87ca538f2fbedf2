/** What the built command says when it is given something wrong, and with which exit code. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/summary/index.ts';
import { startEmulator } from '../../src/emulator/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const UNUSED = 'http://127.0.0.1:1';
let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

/** A server that lists one model and answers everything else with `status` and `body`. */
function failingServer(status: number, body: string): Promise<string> {
  const started = createServer((request, response) => {
    request.resume();
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"m"}]}');
    } else {
      response.statusCode = status;
      response.end(body);
    }
  });
  server = started;
  return new Promise((resolve) => {
    started.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(started.address() as AddressInfo).port}`);
    });
  });
}

describe('usage and configuration, exit code 2', () => {
  it.each([
    [['run'], 'E_USAGE_MISSING', 'no target'],
    [['run', UNUSED, '--rate', '0'], 'E_USAGE_VALUE', 'above 0'],
    [['run', UNUSED, '--rate', '-1'], 'E_USAGE_VALUE', 'above 0'],
    [['run', UNUSED, '--rate', '4', '--duration', '60'], 'E_USAGE_VALUE', '60s'],
    [['run', UNUSED, '--rate', '4', '--concurrency', '2'], 'E_USAGE_CONFLICT', 'rate'],
    [['run', UNUSED, '--rate', '4', '--slo', 'ttfs<=1s'], 'E_OBJECTIVE', 'did you mean ttft'],
    [['run', UNUSED, '--rate', '4', '--slo', 'ttft<=500'], 'E_OBJECTIVE', '500ms'],
    [['run', UNUSED, '--rat', '4'], 'E_USAGE_UNKNOWN_OPTION', 'Did you mean --rate'],
    [['runn'], 'E_USAGE_UNKNOWN_OPTION', 'Did you mean run'],
    [['run', UNUSED, '--rate', '10', '--max-requests', '5'], 'E_BUDGET_IMPOSSIBLE', '5'],
    [['emulate', '--speed-scale', '0'], 'E_USAGE_VALUE', 'speed-scale'],
    [['judge', '.'], 'E_RUN_FORMAT', 'not a run'],
  ])('%j', async (args, code, words) => {
    const { exitCode, stdout, stderr } = await runBuilt(args);
    expect(stderr).toContain(code);
    expect(stderr).toContain(words);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('reports all problems of a file with their places', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, 'bad.yaml'),
      'target: { url: http://127.0.0.1:1 }\nload: { rate: 0 }\nduraton: 10s\nwarmup: 5\n',
    );
    const { exitCode, stderr } = await runBuilt(['run', 'bad.yaml'], { cwd });
    expect(stderr).toMatch(/bad\.yaml:2:15: /);
    expect(stderr).toMatch(/bad\.yaml:3:1: .*E_CONFIG_UNKNOWN_KEY/);
    expect(stderr).toContain('duration');
    expect(stderr).toMatch(/bad\.yaml:4:9: /);
    expect(exitCode).toBe(2);
  });

  it('names the rows of a trace that have holes', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, 't.csv'),
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,,8\n',
    );
    const { exitCode, stderr } = await runBuilt(['run', UNUSED, '--trace', 'azure:t.csv'], { cwd });
    expect(stderr).toMatch(/t\.csv:3:\d+: .*E_TRACE_ROW/);
    expect(exitCode).toBe(2);
  });

  it('shows how a line of a bodies file looks to who wrote bare bodies', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'b.jsonl'), '{"messages":[],"max_tokens":4}\n');
    const load = ['--bodies', 'b.jsonl', '--rate', '4'];
    const { exitCode, stderr } = await runBuilt(['run', UNUSED, ...load], { cwd });
    expect(stderr).toMatch(/b\.jsonl:1:1: body is missing.*\n {2}hint: write \{"body": \{…\}\}/);
    expect(exitCode).toBe(2);
  });

  it('says of how many rows of a trace it cut some', async () => {
    const cwd = emptyFolder();
    const row = (second: number, tokens: number): string =>
      `2023-11-16 18:17:0${second}.0000000,${tokens},8\n`;
    writeFileSync(
      join(cwd, 't.csv'),
      `TIMESTAMP,ContextTokens,GeneratedTokens\n${row(1, 4000)}${row(2, 10)}`,
    );
    const trace = ['--trace', 'azure:t.csv', '--max-input', '100'];
    const { stderr } = await runBuilt(['run', UNUSED, ...trace], { cwd });
    expect(stderr).toContain("note: 1 of the trace's 2 prompts are cut to 100 tokens");
  });

  it('refuses a public host without a budget, with the estimate', async () => {
    // 203.0.113.0/24 is reserved for documentation: nothing is sent there, now or ever.
    const { exitCode, stderr } = await runBuilt([
      'run',
      'http://203.0.113.7',
      '--rate',
      '4',
      '--duration',
      '10s',
      '--model',
      'm',
    ]);
    expect(stderr).toContain('E_BUDGET_REQUIRED');
    expect(stderr).toMatch(/\d+ requests/);
    expect(exitCode).toBe(2);
  });

  it('asks for the model when there are several', async () => {
    server = createServer((_, response) => response.end('{"data":[{"id":"a"},{"id":"b"}]}'));
    const started = server;
    await new Promise<void>((resolve) => {
      started.listen(0, '127.0.0.1', resolve);
    });
    const { port } = started.address() as AddressInfo;
    const { exitCode, stderr } = await runBuilt(['run', `http://127.0.0.1:${port}`, '--rate', '4']);
    expect(stderr).toContain('E_MODEL_MISSING');
    expect(stderr).toContain('one of a, b');
    expect(exitCode).toBe(2);
  });
});

describe('the outside world, exit code 5', () => {
  it('a target that cannot be reached before the first send', async () => {
    for (const command of ['run', 'check']) {
      const args = command === 'run' ? ['run', UNUSED, '--rate', '4'] : ['check', UNUSED];
      const { exitCode, stderr } = await runBuilt(args);
      expect(stderr).toContain('E_TARGET_UNREACHABLE');
      expect(exitCode).toBe(5);
    }
  });

  it('a file that is not there', async () => {
    const { exitCode, stderr } = await runBuilt(['run', 'no-such.yaml']);
    expect(stderr).toContain('E_FILE_READ');
    expect(exitCode).toBe(5);
  });

  it('a key that is not accepted', async () => {
    const url = await failingServer(401, '{"error":{"code":"invalid_api_key"}}');
    const { exitCode, stderr } = await runBuilt(['run', url, '--rate', '4']);
    expect(stderr).toContain('E_TARGET_REFUSED');
    expect(exitCode).toBe(5);
  });
});

describe('a service that fails every request', () => {
  it('is 0 of N, with null latencies and exit code 3', async () => {
    const url = await failingServer(500, 'oops');
    const cwd = emptyFolder();
    const { exitCode, stdout } = await runBuilt(
      [
        'run',
        url,
        '--rate',
        '20',
        '--duration',
        '1s',
        '--slo',
        'ttft<=1s, attainment>=95%',
        '--out',
        'r',
      ],
      { cwd },
    );
    expect(stdout).toMatch(/^MISSED/);
    expect(exitCode).toBe(3);
    const summary = JSON.parse(readFileSync(join(cwd, 'r', 'summary.json'), 'utf8')) as Summary;
    const point = summary.points[0]!;
    expect(point.attainment).toMatchObject({ good: 0, offered: point.ledger.scheduled, share: 0 });
    expect(point.ledger.failed).toBe(point.ledger.scheduled);
    expect(point.goodputRps).toBe(0);
    expect(point.ttftFromPlannedNs).toMatchObject({ n: 0, quantiles: [] });
  });
});

describe('secrets and hostile text', () => {
  it('a key and a prompt reach no file and no output', async () => {
    const emulator = await startEmulator({ speedScale: 0.2 });
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'p.txt'), 'CANARYPROMPT tell me\nCANARYPROMPT again\n');
    const { stdout, stderr } = await runBuilt(
      [
        'run',
        emulator.url,
        '--rate',
        '20',
        '--duration',
        '1s',
        '--prompts',
        'p.txt',
        '--output',
        '4',
        '--key-env',
        'K',
        '--header',
        'x-team: CANARYHEADER',
        '--out',
        'r',
        '--explain',
      ],
      { cwd, env: { K: 'CANARYKEY' } },
    );
    await emulator.close();
    const files = readdirSync(join(cwd, 'r'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    const written = files.map((file) => readFileSync(join(cwd, 'r', file), 'utf8')).join('\n');
    for (const text of [stdout, stderr, written]) expect(text).not.toContain('CANARY');
  });

  it('a server cannot drive the terminal', async () => {
    server = createServer((_, response) => {
      response.end(JSON.stringify({ data: [{ id: 'evil\u001b[2J' }, { id: 'b\u0007' }] }));
    });
    const started = server;
    await new Promise<void>((resolve) => {
      started.listen(0, '127.0.0.1', resolve);
    });
    const { port } = started.address() as AddressInfo;
    const { stderr } = await runBuilt(['check', `http://127.0.0.1:${port}`]);
    expect(stderr).toContain('evil\\u001b[2J');
    // oxlint-disable-next-line no-control-regex -- they are what must be absent
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
