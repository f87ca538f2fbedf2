/** `goodput run --metrics` against the emulator: its counters are those of the client's records. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { type RequestRecord } from '../../src/record/index.ts';
import type { Summary } from '../../src/summary/index.ts';
import {
  quantileBounds,
  type HistogramCounts,
  type Scrape,
  type ServerPoint,
} from '../../src/telemetry/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const LOAD = ['--rate', '10', '--duration', '4s', '--input', '64', '--output', '16', '--exact'];

let emulator: Emulator;
let pods: Server;
let looks = 0;

beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.2 });
  // One address in front of two servers that have served differently much.
  pods = createServer((request, response) => {
    if (request.url === '/missing') {
      response.writeHead(404).end();
      return;
    }
    looks += 1;
    response.end(`vllm:generation_tokens_total ${(looks % 2) * 1_000 + looks}\n`);
  });
  await new Promise<void>((resolve) => pods.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await emulator.close();
  pods.closeAllConnections();
  await new Promise((resolve) => pods.close(resolve));
});

function linesOf<Line>(dir: string, name: string): Line[] {
  const text = readFileSync(join(dir, name), 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

function serverPoints(dir: string): readonly ServerPoint[] {
  const text = readFileSync(join(dir, 'server.json'), 'utf8');
  return (JSON.parse(text) as { points: readonly ServerPoint[] }).points;
}

async function measured(...args: readonly string[]) {
  const cwd = emptyFolder();
  const outcome = await runBuilt(['run', emulator.url, ...LOAD, ...args, '--out', 'r'], { cwd });
  return { ...outcome, cwd, dir: join(cwd, 'r') };
}

describe('goodput run --metrics', () => {
  it('counts what the client counts, and encloses what it measures', async () => {
    const slo = ['--slo', 'ttft<=5s, tpot<=2s, attainment>=50%'];
    const { stdout, dir, cwd } = await measured(
      '--metrics',
      'auto',
      '--metrics-every',
      '500ms',
      '--explain',
      ...slo,
    );
    const records = linesOf<RequestRecord>(dir, 'records-0.ndjson');
    const [server] = serverPoints(dir);
    const sum = (of: (record: RequestRecord) => number | null | undefined): number =>
      records.reduce((total, record) => total + (of(record) ?? 0), 0);
    expect(server?.counters).toMatchObject({
      finishedRequests: records.length,
      promptTokens: sum(({ timeline }) => timeline?.usage?.promptTokens),
      outputTokens: sum(({ timeline }) => timeline?.usage?.completionTokens),
      preemptions: 0,
    });
    const ttft = server?.histograms.ttft as HistogramCounts;
    expect(ttft.count).toBe(records.length);
    const { points } = JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as Summary;
    const serverMeanNs = ((ttft.sumSeconds as number) / ttft.count) * 1e9;
    expect(serverMeanNs).toBeLessThan(points[0]?.ttftFromDispatchNs.mean as number);
    // The mean lies where the buckets say that the answers lie.
    expect(serverMeanNs).toBeLessThanOrEqual((quantileBounds(ttft, 1)?.high ?? 0) * 1e9);
    expect(serverMeanNs).toBeGreaterThanOrEqual((quantileBounds(ttft, 0)?.low ?? 0) * 1e9);
    expect(stdout).toMatch(/requests finished +(\d+) +\1\n/);
    expect(stdout).toMatch(/TTFT and TPOT both within their limits: 100\.0–100\.0 % of the/);
    const scrapes = linesOf<Scrape>(dir, 'metrics.ndjson');
    expect(scrapes.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['before', 'during', 'after']),
    );
    expect(scrapes.every(({ text }) => text?.includes('vllm:') === true)).toBe(true);
    const report = await runBuilt(['report', 'r', '--format', 'md'], { cwd });
    expect(report.stdout).toContain('### Servers');
    const judged = await runBuilt(['judge', 'r', '--slo', 'ttft<=1ms, tpot<=1ms', '--explain'], {
      cwd,
    });
    expect(judged.stdout).toMatch(/both within their limits: 0\.0–/);
  });

  it('lets no endpoint fail the run, and says what is wrong with each', async () => {
    const { port } = pods.address() as AddressInfo;
    const at = (path: string): string[] => ['--metrics', `http://127.0.0.1:${port}${path}`];
    const { exitCode, stdout, dir } = await measured(
      ...at('/pods'),
      ...at('/missing'),
      '--metrics',
      'http://127.0.0.1:9',
      '--metrics-every',
      '300ms',
      '--explain',
    );
    expect([0, 4]).toContain(exitCode);
    expect(stdout).toContain('(http 404)');
    expect(stdout).toContain('(ECONNREFUSED)');
    expect(stdout).toMatch(/counters\s+went\s+back\s+\d+\s+times/);
    expect(serverPoints(dir)[0]?.counters).toEqual({});
  });

  it('writes nothing of servers unless it is asked to', async () => {
    const { dir } = await measured();
    expect(existsSync(join(dir, 'summary.json'))).toBe(true);
    expect(existsSync(join(dir, 'metrics.ndjson'))).toBe(false);
    expect(existsSync(join(dir, 'server.json'))).toBe(false);
  });
});
