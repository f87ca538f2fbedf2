/** Each log format's fixture, read by hand first: what is a request, what it says, what is broken. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readLog } from '../../src/cli/read-log.ts';
import { mappedFormat, type ImportReport } from '../../src/importers/index.ts';
import { parseLogMapping } from '../../src/config/index.ts';
import { readFileSync } from 'node:fs';
import { measureRecord, type RequestRecord } from '../../src/record/index.ts';
import { judge } from '../../src/slo/index.ts';
import { objectiveOf } from '../support/summary-builder.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/logs/', import.meta.url));
const OBJECTIVE = objectiveOf('ttft<=500ms, tpot<=40ms');

interface Read {
  readonly report: ImportReport;
  readonly records: readonly RequestRecord[];
  readonly startsUs: readonly number[];
  readonly rejects: readonly string[];
}

async function read(
  name: string,
  format: Parameters<typeof readLog>[1]['format'] = null,
): Promise<Read> {
  const records: RequestRecord[] = [];
  const startsUs: number[] = [];
  const rejects: string[] = [];
  const report = await readLog(
    `${FOLDER}${name}`,
    { format, rejects, windowed: true },
    (record, startUs) => {
      records.push(record);
      startsUs.push(startUs);
    },
  );
  return { report, records, startsUs, rejects };
}

function verdicts({ records }: Read): string[] {
  return records.map((record) => judge(record, OBJECTIVE).verdict);
}

/** TTFT, TPOT and whole time in ms. */
function latencies(record: RequestRecord | undefined): (number | null)[] {
  if (record === undefined) return [];
  const { ttftFromPlannedNs, tpotNs, completionNs } = measureRecord(record, { counts: ['answer'] });
  return [ttftFromPlannedNs, tpotNs, completionNs].map((ns) => (ns === null ? null : ns / 1e6));
}

describe('LiteLLM', () => {
  it('tells unknown from known, refused from overloaded, and keeps no text', async () => {
    const log = await read('litellm.ndjson');
    expect(latencies(log.records[0])).toEqual([400, 39, 4_300]);
    // The first token at the end is no first token: TTFT is unknown, never 4 s.
    expect(latencies(log.records[1])).toEqual([null, null, 4_000]);
    expect(verdicts(log)).toEqual(['good', 'unjudged', 'bad', 'excluded', 'bad']);
    expect(log.startsUs[0]).toBe(Date.UTC(2026, 10, 20, 10) * 1e3);
    expect(log.report).toMatchObject({ format: 'litellm', requests: 5, rejected: 3 });
    expect(log.report.samples).toEqual([
      { line: 6, reason: 'its end is before its start, or no duration' },
      { line: 7, reason: 'its start is no instant' },
      { line: 8, reason: 'it is not JSON' },
    ]);
    expect(log.report.findings).toEqual([
      { fault: 'ttftIsEnd', rows: 1, checked: 5, ratioMean: null },
    ]);
    expect(log.rejects.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([
      6, 7, 8,
    ]);
    expect(JSON.stringify(log.records)).not.toContain('prompt that must');
  });
});

describe('one request of 300 ms, 50 tokens of 40 ms after the first', () => {
  it.each(['langfuse.ndjson', 'otlp.ndjson', 'envoy.ndjson', 'kong.ndjson', 'guidellm.json'])(
    '%s',
    async (name) => {
      const { records } = await read(name);
      expect(latencies(records[0])).toEqual([300, 40, 2_300]);
      expect(records[0]?.timeline?.usage).toMatchObject({
        promptTokens: 1_200,
        completionTokens: 51,
      });
    },
  );

  it('is the same by new, by old and by OpenInference names of OTLP', async () => {
    const log = await read('otlp.ndjson');
    expect(log.records).toHaveLength(3);
    for (const record of log.records.slice(0, 2))
      expect(latencies(record)).toEqual([300, 40, 2_300]);
    expect(log.records.map(({ clock }) => clock)).toEqual(['client', 'server', 'client']);
    expect(log.records[1]?.queueNs).toBe(100e6);
    expect(verdicts(log)).toEqual(['good', 'unjudged', 'bad'].with(1, 'good'));
  });
});

describe('outcomes', () => {
  it('Envoy: its own rate limit is a refusal, overflow a failure, a client that left is neither', async () => {
    const log = await read('envoy.ndjson');
    expect(verdicts(log)).toEqual(['good', 'excluded', 'bad', 'bad']);
    expect(log.records[3]?.end).toEqual({ kind: 'cancelled', atNs: 700e6 });
  });

  it('Kong: its time per token holds the wait, its own limit is a refusal, one shot has no TTFT', async () => {
    const log = await read('kong.ndjson');
    expect(log.report).toMatchObject({ format: 'kong', requests: 5, rejected: 0 });
    expect(verdicts(log)).toEqual(['good', 'excluded', 'bad', 'bad', 'unjudged']);
    expect(log.records[3]?.end).toEqual({ kind: 'cancelled', atNs: 700e6 });
    expect(log.records[0]?.labels).toMatchObject({ model: 'llama', tenant: 'search' });
    expect(log.startsUs[0]).toBe(Date.UTC(2026, 10, 20, 10) * 1e3);
    expect(log.report.findings).toMatchObject([{ fault: 'tpotIncludesTtft', rows: 1, checked: 1 }]);
  });

  it('Langfuse: only generations are requests', async () => {
    const log = await read('langfuse.ndjson');
    // No status is logged, so that a quota cannot be told from overload.
    expect(verdicts(log)).toEqual(['good', 'bad']);
  });

  it('SGLang: TTFT follows from the decode throughput', async () => {
    const log = await read('sglang.ndjson');
    expect(latencies(log.records[0])[0]).toBeCloseTo(300, 3);
    expect(log.report.fields.find(({ field }) => field === 'ttftNs')?.how).toBe('derived');
    expect(JSON.stringify(log.records)).not.toContain('prompt that must');
  });

  it('vLLM bench: gaps are judged, and a failed row is a failure', async () => {
    const log = await read('vllm-bench.json');
    const [first] = log.records;
    expect(latencies(first)).toEqual([300, 130 / 3, 430]);
    expect(judge(first as RequestRecord, objectiveOf('gap<=45ms')).verdict).toBe('bad');
    expect(judge(first as RequestRecord, objectiveOf('gap<=50ms')).verdict).toBe('good');
    expect(log.records[1]?.end?.kind).toBe('failed');
  });

  it('leaves gaps unknown where a log has only the first and the last token', async () => {
    const { records } = await read('guidellm.json');
    const judgement = judge(records[0] as RequestRecord, objectiveOf('gap<=600ms'));
    expect(judgement).toMatchObject({ verdict: 'unjudged', reason: 'gapMax:notReported' });
  });
});

describe('what a source says wrongly of itself', () => {
  it('GuideLLM: time per output token holds the wait for the first', async () => {
    const { report } = await read('guidellm.json');
    expect(report.findings).toMatchObject([{ fault: 'tpotIncludesTtft', rows: 1, checked: 1 }]);
  });

  it('inference-perf: stamps of blank lines halve it', async () => {
    const { report } = await read('inference-perf.json');
    expect(report.findings).toMatchObject([{ fault: 'tpotHalf', rows: 1, checked: 1 }]);
    expect(report.findings[0]?.ratioMean).toBeCloseTo(0.5, 1);
  });

  it('Envoy: honest', async () => {
    const { report } = await read('envoy.ndjson');
    expect(report.findings).toEqual([]);
  });
});

describe('a mapping', () => {
  it('reads a CSV by the columns it names', async () => {
    const file = `${FOLDER}own-columns.yaml`;
    const parsed = parseLogMapping(readFileSync(file, 'utf8'), { file, env: {} });
    if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
    const log = await read('own-columns.csv', mappedFormat(parsed.mapping));
    expect(verdicts(log)).toEqual(['good', 'unjudged', 'bad', 'bad']);
    expect(log.report.samples).toEqual([
      { line: 6, reason: 'its first token is after its end' },
      { line: 7, reason: 'its start is no instant' },
    ]);
  });

  it('tells every mistake with its place', () => {
    const text = 'start: { column: a, unit: hours }\nend: { column: b, unit: s }\nttfd: x\n';
    const parsed = parseLogMapping(text, { file: 'm.yaml', env: {} });
    const problems = 'problems' in parsed ? parsed.problems : [];
    expect(problems.map(({ place, message }) => [place?.line, message])).toEqual([
      [1, expect.stringContaining('start.unit')],
      [3, 'there is no key ttfd'],
    ]);
  });
});
