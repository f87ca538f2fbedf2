/** The built command with a local tokenizer, against servers that count with a real one. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { Manifest, RequestRecord } from '../../src/record/index.ts';
import type { PointSummary, Summary } from '../../src/summary/index.ts';
import { openTokenizer } from '../../src/tokenizers/index.ts';
import { PROMPT_WORDS } from '../../src/workload/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';
import { tinyTokenizerJson } from '../support/tiny-tokenizer.ts';
import { startTokenizingServer, TEMPLATE_TOKENS } from '../support/tokenizing-server.ts';

const CANARY = 'xylophonic-canary';
const ANSWER = {
  answer: `The ${CANARY} says: 今天天气很好，我们去公园。 It costs 3,000.50 €, doesn’t it?`,
};
const LOAD = ['--rate', '20', '--duration', '1s', '--input', '30', '--tokenizer'];

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function serve(options: Partial<Parameters<typeof startTokenizingServer>[0]> = {}) {
  const server = await startTokenizingServer({
    vocabulary: 'o200k_base',
    answer: ANSWER,
    tellsUsage: true,
    ...options,
  });
  open.push(server);
  return server;
}

interface Run {
  readonly cwd: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly manifest: Manifest;
  readonly records: readonly RequestRecord[];
  readonly point: PointSummary;
}

async function run(url: string, flags: readonly string[], cwd = emptyFolder()): Promise<Run> {
  const outcome = await runBuilt(['run', url, ...flags, '--out', 'r'], { cwd });
  const read = (name: string): string => readFileSync(join(cwd, 'r', name), 'utf8');
  const records = read('records-0.ndjson').trimEnd().split('\n');
  const [point] = (JSON.parse(read('summary.json')) as Summary).points;
  return {
    ...outcome,
    cwd,
    manifest: JSON.parse(read('manifest.json')) as Manifest,
    records: records.map((line) => JSON.parse(line) as RequestRecord),
    point: point as PointSummary,
  };
}

describe('prompts of exact length', () => {
  const blocks = [
    { timestamp: 0, input_length: 700, output_length: 8, hash_ids: [1, 2] },
    { timestamp: 40, input_length: 1_024, output_length: 8, hash_ids: [1, 3] },
    { timestamp: 80, input_length: 513, output_length: 8, hash_ids: [1, 4] },
  ];

  test.each([
    ['shared', ['--rate', '20', '--input', 'uniform:20-600', '--prefix', 'shared:256x2']],
    ['blocks', ['--trace', 'mooncake:trace.jsonl']],
    ['in two processes', ['--rate', '20', '--input', 'uniform:20-900', '--processes', '2']],
  ])('%s: what was asked is what the server counts', async (_, flags) => {
    const server = await serve();
    const cwd = emptyFolder();
    const rows = blocks.map((row) => JSON.stringify(row));
    writeFileSync(join(cwd, 'trace.jsonl'), rows.join('\n'));
    const load = [...flags, '--duration', '1s', '--tokenizer', 'o200k_base'];
    const { stdout, stderr, records } = await run(server.url, load, cwd);
    expect(stderr).toContain('prompts of exact length by o200k_base');
    expect(records.length).toBeGreaterThan(2);
    const planned = records.map((record) => record.promptTokensPlanned ?? 0);
    expect(records.map(({ timeline }) => timeline?.usage?.promptTokens)).toEqual(planned);
    const { length } = records;
    expect(stdout).toContain(`prompts as planned in ${length} of ${length}`);
    const tokenizer = await openTokenizer({ kind: 'gpt', vocabulary: 'o200k_base' }, () => '');
    const sent = server.prompts.slice(-length).map((text) => tokenizer.count(text));
    const byCount = (a: number, b: number): number => a - b;
    expect(sent.toSorted(byCount)).toEqual(
      planned.map((tokens) => tokens - TEMPLATE_TOKENS).toSorted(byCount),
    );
  });

  test('against the emulator, with a tokenizer.json', async () => {
    const emulator = await startEmulator({ speedScale: 0.2 });
    open.push(emulator);
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'tokenizer.json'), tinyTokenizerJson(PROMPT_WORDS));
    const flags = ['--input', '200', '--output', '8', '--tokenizer', 'tokenizer.json'];
    const load = ['--rate', '20', '--duration', '1s', ...flags];
    const { manifest, records, point } = await run(emulator.url, load, cwd);
    expect(records.every(({ timeline }) => timeline?.usage?.promptTokens === 200)).toBe(true);
    expect(point.tokenAgreement?.prompt).toMatchObject({ equalCount: records.length });
    expect(manifest.counting.local).toMatchObject({ judged: false });
    expect(manifest.counting.local?.tokenizer).toMatch(/^tokenizer\.json@[0-9a-f]{8}$/);
    expect(manifest.facts.tokenizer).toMatchObject({ from: 'declared' });
  });
});

describe('answers counted here', () => {
  test('beside the server: the same but for the end token, and no text anywhere', async () => {
    const server = await serve();
    const { point, cwd, stdout, stderr } = await run(server.url, [...LOAD, 'gpt-4o']);
    const { output, judged } = point.tokenAgreement ?? {};
    expect(judged).toBe(false);
    expect(output).toMatchObject({ n: point.ledger.completed, equalCount: point.ledger.completed });
    expect(stdout).toContain('output by the server, o200k_base the same in ');
    const files = readdirSync(join(cwd, 'r')).map((name) =>
      readFileSync(join(cwd, 'r', name), 'utf8'),
    );
    const prompt = server.prompts.at(-1) ?? '';
    expect(prompt.split(' ').length).toBeGreaterThan(20);
    for (const text of [...files, stdout, stderr]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain('今天');
      expect(text).not.toContain(prompt.split(' ').slice(0, 3).join(' '));
    }
  });

  test('another tokenizer than the server’s is told', async () => {
    const server = await serve();
    const { point, stdout } = await run(server.url, [...LOAD, 'r50k_base']);
    const ratio = point.tokenAgreement?.output.ratioMedian ?? 0;
    expect(ratio).toBeGreaterThan(1.2);
    expect(stdout).toContain("r50k_base is not the server's tokenizer: it counts ");
  });

  test('stand in for a server that tells nothing, and make a pace known', async () => {
    const answer = {
      reasoning: 'So they ask for it. Well then.',
      ...ANSWER,
      toolCall: '{"city":"Köln"}',
    };
    const server = await serve({ tellsUsage: false, answer });
    const { point, stdout, stderr, records } = await run(server.url, [...LOAD, 'o200k_base']);
    const tokenizer = await openTokenizer({ kind: 'gpt', vocabulary: 'o200k_base' }, () => '');
    for (const { timeline } of records) {
      expect(timeline?.usage).toBeNull();
      expect(timeline?.local).toEqual({
        tokenizer: 'o200k_base',
        judged: true,
        answerTokens: tokenizer.count(answer.answer),
        reasoningTokens: tokenizer.count(answer.reasoning),
        refusalTokens: 0,
        toolCallTokens: tokenizer.count(answer.toolCall),
      });
    }
    expect(point.tpotNs.n).toBeGreaterThan(0);
    expect(point.outputTokens.n).toBe(point.ledger.completed);
    expect(stdout).toContain('output by o200k_base, not by the server');
    expect(stderr).toContain('output tokens are by o200k_base, not by the server');
  });
});

describe('mistakes', () => {
  test('a name that nobody knows, a file that is no tokenizer', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'other.json'), '{"a": 1}');
    const outcome = (tokenizer: string) =>
      runBuilt(['run', 'http://127.0.0.1:9', '--rate', '1', '--tokenizer', tokenizer], { cwd });
    const unknown = await outcome('o200k_bse');
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('did you mean o200k_base?');
    const broken = await outcome('other.json');
    expect(broken.exitCode).toBe(2);
    expect(broken.stderr).toContain('other.json is not a tokenizer that can be read');
  });
});
