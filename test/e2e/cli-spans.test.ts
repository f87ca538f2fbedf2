/** `goodput judge RUN --spans`: a load, its server's own spans, and where the time went. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { ANY_REQUEST, NO_FAULTS } from '../../src/faults/index.ts';
import { traceIdOf } from '../../src/experiment/trace-choice.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import type { TimeParts } from '../../src/tracing/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const REQUESTS = 10;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

describe('goodput judge RUN --spans', { timeout: 60_000 }, () => {
  const cwd = emptyFolder();
  const spansPath = join(cwd, 'spans.ndjson');
  const judged = (...args: readonly string[]) =>
    runBuilt(['judge', 'run', '--spans', spansPath, ...args], { cwd });

  /** Answers are gathered on their way and arrive at once, as behind a buffering proxy. */
  beforeAll(async () => {
    const emulator = await startEmulator({
      spansPath,
      faults: {
        ...NO_FAULTS,
        rules: [
          {
            name: 'buffering proxy',
            match: ANY_REQUEST,
            pick: { kind: 'all' },
            fault: { kind: 'bunching', gather: { kind: 'events', events: 1_000 } },
          },
        ],
      },
    });
    try {
      const load = ['--rate', '5', '--arrivals', 'constant', '--duration', '2s', '--exact'];
      const asked = ['--input', '64', '--output', '24', '--slo', 'ttft<=100ms'];
      const args = ['run', emulator.url, ...load, ...asked, '--out', 'run', '--quiet'];
      expect((await runBuilt(args, { cwd })).stdout).toContain('ttft');
    } finally {
      await emulator.close();
    }
  }, 60_000);

  it('joins every request and tells the held back answers from the server’s own time', async () => {
    const { exitCode, stdout } = await judged('--format', 'json');
    const { loads } = JSON.parse(stdout) as { loads: { parts: TimeParts }[] };
    const parts = loads[0]?.parts as TimeParts;
    expect([exitCode, parts.sent, parts.joined]).toEqual([0, REQUESTS, REQUESTS]);
    expect([parts.heldBack, parts.blame?.missed]).toEqual([REQUESTS, REQUESTS]);
    // The server's first tokens were in time, but for a stall of the machine; the rest was the way.
    expect(parts.blame?.metWithout.way).toBeGreaterThan(REQUESTS / 2);
    expect(parts.blame?.metWithout.queue).toBeLessThan(REQUESTS / 2);
    const sum = Object.values(parts.parts).reduce((ns, part) => ns + (part?.meanNs ?? 0), 0);
    expect(sum / (parts.clientTtft?.meanNs ?? NaN)).toBeCloseTo(1, 6);
  });

  it('says it in words, on the terminal and in Markdown', async () => {
    const text = (await judged()).stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('10 of 10 sent requests (100.0 %) joined with a server span');
    expect(text).toContain('10 answers were held back on the way');
    expect((await judged('--format', 'md')).stdout).toContain('| way: network, gateway');
  });

  it('joins traced requests by their trace where a gateway has replaced their ids', async () => {
    const traced = join(cwd, 'traced.ndjson');
    const emulator = await startEmulator({ spansPath: traced });
    try {
      const load = ['--rate', '15', '--duration', '2s', '--input', '16', '--output', '4'];
      const asked = ['--trace-share', '30%', '--seed', '3', '--processes', '2'];
      const args = ['run', emulator.url, ...load, ...asked, '--out', 'traced', '--quiet'];
      expect([0, 4]).toContain((await runBuilt(args, { cwd })).exitCode);
    } finally {
      await emulator.close();
    }
    const records = readFileSync(join(cwd, 'traced/records-0.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RequestRecord);
    const seeds = { arrivals: 3, lengths: 3, prompts: 3 };
    for (const { scheduleIndex, requestId, traceId } of records) {
      const tracing = { traceShare: 0.3, seeds };
      expect(traceId).toBe(traceIdOf({ index: scheduleIndex }, requestId, tracing));
    }
    const joinable = records.filter(({ traceId }) => traceId !== null).length;
    expect(joinable).toBeGreaterThan(0);
    expect(joinable).toBeLessThan(records.length);
    let replaced = 0;
    const spans = readFileSync(traced, 'utf8').replaceAll(UUID, () => `gateway-${(replaced += 1)}`);
    // The answers before the load have spans of their own.
    expect(replaced).toBeGreaterThanOrEqual(records.length);
    writeFileSync(traced, spans);
    const judged = await runBuilt(['judge', 'traced', '--spans', traced, '--format', 'json'], {
      cwd,
    });
    const { loads } = JSON.parse(judged.stdout) as { loads: { parts: TimeParts }[] };
    expect(loads[0]?.parts).toMatchObject({ sent: records.length, joined: joinable });
  });

  it('counts broken lines, and refuses a file that holds no traces', async () => {
    appendFileSync(spansPath, 'not JSON\n');
    expect((await judged()).stderr).toContain('no export and were left out: 1');
    writeFileSync(join(cwd, 'other.ndjson'), '{"a":1}\n');
    const refused = await runBuilt(['judge', 'run', '--spans', 'other.ndjson'], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('other.ndjson:1'),
    ]);
    const mixed = await runBuilt(['judge', 'run', '--spans', 'x', '--explain'], { cwd });
    expect([mixed.exitCode, mixed.stderr]).toEqual([2, expect.stringContaining('--explain')]);
    expect(readFileSync(spansPath, 'utf8')).not.toContain('prompt":"');
  });
});
