/** Records planted so that one difference at a time shows, and nothing else. */
import { describe, expect, it } from 'vitest';
import { nsFromMs } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { plainObjective, type Objective } from '../slo/index.ts';
import { failedEnd, recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf } from '../../test/support/summary-builder.ts';
import { bridgeOf, type Bridge, type BridgeRow } from './bridge.ts';
import type { ConventionName } from './convention.ts';
import { CONVENTIONS } from './conventions.ts';
import { SampleBuilder } from './sample.ts';

const ms = nsFromMs;

function bridgeOfRecords(
  name: ConventionName,
  records: readonly RequestRecord[],
  { slo = null, hasInstants = true }: { slo?: string | null; hasInstants?: boolean } = {},
): Bridge {
  const objective: Objective | null = slo === null ? null : objectiveOf(slo);
  const builder = new SampleBuilder({
    point: pointOf({ stopNs: ms(60_000), recordCount: records.length }),
    objective,
    correctness: plainObjective(),
    exactOutput: false,
    prefixCache: 'unique',
    hasInstants,
  });
  for (const record of records) builder.add(record);
  return bridgeOf(CONVENTIONS[name], builder.finish());
}

/** Ten answers of five tokens, a request a second: 100 ms to the first, 20 ms a token. */
function answers(count = 10, change: (at: number) => RecordOptions = () => ({})): RequestRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const plannedNs = ms(1_000 * at);
    return recordOf({
      scheduleIndex: at,
      plannedNs,
      arrivalsNs: [100, 120, 140, 160, 180].map((after) => plannedNs + ms(after)),
      ...change(at),
    });
  });
}

function rowOf(bridge: Bridge, measure: string, statistic: BridgeRow['statistic'] = 'mean') {
  const row = bridge.rows.find((one) => one.measure === measure && one.statistic === statistic);
  expect(row, `${measure} ${statistic}`).toBeDefined();
  return row as BridgeRow;
}

/** Names of the measures of which some figure differs. */
function differing({ rows }: Bridge): string[] {
  return [...new Set(rows.filter((row) => row.difference !== 0).map((row) => row.measure))];
}

describe('nothing planted', () => {
  it.each(['vllm-bench', 'aiperf'] as const)('%s agrees but for the end', (name) => {
    // The end mark comes 1 ms after the last output: goodput ends there, these tools before.
    const bridge = bridgeOfRecords(name, answers(), { slo: 'ttft<=1s, tpot<=1s' });
    const e2e = name === 'vllm-bench' ? 'E2EL' : 'Request Latency';
    const rates =
      name === 'aiperf' ? ['Request Throughput', 'Output Token Throughput', 'Goodput'] : [];
    expect(differing(bridge)).toEqual([e2e, ...rates]);
    expect(rowOf(bridge, e2e).difference).toBe(-ms(1));
    expect(rowOf(bridge, e2e).steps.map(({ why }) => why)).toEqual([
      'ends with the last output: end mark and usage come after it',
    ]);
  });
});

describe('one thing planted', () => {
  it('late sends: the clock of others starts there', () => {
    const late = answers(10, (at) => (at < 4 ? { dispatchedNs: ms(1_000 * at + 50) } : {}));
    const row = rowOf(bridgeOfRecords('vllm-bench', late), 'TTFT');
    expect([row.goodput, row.tool, row.difference]).toEqual([ms(100), ms(80), -ms(20)]);
    expect(row.steps).toEqual([
      { why: 'counted from the send: 4 of 10 were sent after they were due', change: -ms(20) },
    ]);
    expect(rowOf(bridgeOfRecords('mlperf', late), 'First Token latency').difference).toBe(0);
  });

  it('a connection opened: GuideLLM starts after it', () => {
    const cold = answers(10, (at) => {
      const plannedNs = ms(1_000 * at);
      return at === 0 ? { timeline: { connectedNs: plannedNs + ms(30), reused: false } } : {};
    });
    const row = rowOf(bridgeOfRecords('guidellm', cold), 'time_to_first_token_ms');
    expect(row.difference).toBe(-ms(3));
    expect(row.steps[0]?.why).toContain('1 of 10 opened a connection');
    expect(rowOf(bridgeOfRecords('vllm-bench', cold), 'TTFT').difference).toBe(0);
  });

  it('three tokens a chunk: ITL is a gap of chunks, TPOT is not', () => {
    const bundled = answers(10, () => ({ usage: { completionTokens: 15 } }));
    const bridge = bridgeOfRecords('vllm-bench', bundled);
    expect(rowOf(bridge, 'ITL').tool).toBe(ms(20));
    expect(rowOf(bridge, 'TPOT').tool).toBeCloseTo(ms(80) / 14, 6);
    expect(rowOf(bridge, 'TPOT').difference).toBe(0);
  });

  it('told tokens in the first event: others take it for one', () => {
    const told = answers(10, () => ({
      tokensPerEvent: [3, 3, 3, 3, 3],
      usage: { completionTokens: 15 },
    }));
    const row = rowOf(bridgeOfRecords('vllm-bench', told), 'TPOT');
    expect(row.goodput).toBeCloseTo(ms(80) / 12, 6);
    expect(row.tool).toBeCloseTo(ms(80) / 14, 6);
    expect(row.steps.map(({ why }) => why)).toEqual([
      'one token is taken for the first chunk, which held more: 10',
    ]);
  });

  it('a whole answer in one chunk: a pace of 0, and a good one', () => {
    const whole = answers(10, (at) =>
      at < 5 ? { arrivalsNs: [ms(1_000 * at + 100)], usage: { completionTokens: 5 } } : {},
    );
    const bridge = bridgeOfRecords('vllm-bench', whole, { slo: 'ttft<=1s, tpot<=40ms' });
    expect(rowOf(bridge, 'TPOT').goodput).toBe(ms(20));
    expect(rowOf(bridge, 'TPOT').tool).toBe(ms(10));
    const goodput = rowOf(bridge, 'Request goodput', null);
    expect(goodput.tool).toBeCloseTo(2 * (goodput.goodput as number), 9);
    expect(goodput.steps.at(-1)?.why).toContain('5 more, 0 fewer');
  });

  it('one-token answers: good to vLLM bench, bad to AIPerf, left out by GuideLLM', () => {
    const short = answers(10, (at) =>
      at < 4 ? { arrivalsNs: [ms(1_000 * at + 100)], usage: { completionTokens: 1 } } : {},
    );
    const of = (name: ConventionName) =>
      bridgeOfRecords(name, short, { slo: 'ttft<=1s, tpot<=40ms' });
    const share = (name: ConventionName, measure: string, all: string): number =>
      (rowOf(of(name), measure, null).tool as number) / (rowOf(of(name), all, null).tool as number);
    expect(share('vllm-bench', 'Request goodput', 'Request throughput')).toBe(1);
    expect(share('aiperf', 'Goodput', 'Request Throughput')).toBeCloseTo(0.6, 12);
    expect(of('guidellm').statements[0]).toBe(
      'slo_attainment: 6 of 6, 4 undetermined left out; goodput: 10 of 10',
    );
  });

  it('failures: left out everywhere, cut answers are not failures to others', () => {
    const broken = answers(10, (at) => {
      if (at === 0) return { end: failedEnd('httpStatus'), httpStatus: 503, arrivalsNs: [] };
      if (at === 1) return { end: failedEnd('truncated'), arrivalsNs: [ms(1_400), ms(1_500)] };
      if (at === 2) return { end: failedEnd('serverError'), arrivalsNs: [ms(2_900)] };
      return {};
    });
    const vllm = bridgeOfRecords('vllm-bench', broken);
    expect(vllm.requests).toEqual({ sent: 10, successes: 9, others: 1, dropped: 0 });
    expect(rowOf(vllm, 'TTFT').tool).toBe((ms(400) + ms(900) + 7 * ms(100)) / 9);
    expect(rowOf(vllm, 'TTFT').steps[0]?.why).toContain('2 answers cut off or broken off');
    expect(bridgeOfRecords('aiperf', broken).requests.successes).toBe(8);
    expect(bridgeOfRecords('genai-bench', broken).statements).toEqual([
      'error_rate: 0 for 2 of 10: this version divides before it has counted its requests',
    ]);
    expect(rowOf(bridgeOfRecords('mlperf', broken), 'latency').lacking).toContain(
      '3 of 10 requests gave no streamed answer',
    );
  });

  it('failures late in the run: AIPerf ends its time before them, vLLM bench after', () => {
    const late = [
      ...answers(10),
      recordOf({
        scheduleIndex: 10,
        plannedNs: ms(10_000),
        arrivalsNs: [],
        httpStatus: 503,
        end: failedEnd('httpStatus'),
        doneNs: ms(20_000),
      }),
    ];
    const vllm = rowOf(bridgeOfRecords('vllm-bench', late), 'Request throughput', null);
    const aiperf = rowOf(bridgeOfRecords('aiperf', late), 'Request Throughput', null);
    expect(vllm.tool).toBeCloseTo(10 / 20, 9);
    expect(aiperf.tool).toBeCloseTo(10 / 9.18, 9);
    expect(aiperf.steps[0]?.why).toContain('over the 9.2 s from the first send');
  });

  it('tool calls: output to vLLM bench and AIPerf, none to goodput by default and genai-bench', () => {
    const calls = answers(10, (at) =>
      at === 0 ? { kinds: ['toolCall', 'toolCall', 'answer', 'answer', 'answer'] } : {},
    );
    expect(rowOf(bridgeOfRecords('vllm-bench', calls), 'TTFT').difference).toBe(-ms(4));
    expect(rowOf(bridgeOfRecords('genai-bench', calls), 'ttft').difference).toBe(0);
  });

  it('reasoning: output to all but LLMPerf', () => {
    const thinking = answers(10, () => ({
      kinds: ['reasoning', 'reasoning', 'answer', 'answer', 'answer'],
    }));
    expect(rowOf(bridgeOfRecords('genai-bench', thinking), 'ttft').difference).toBe(0);
    const row = rowOf(bridgeOfRecords('llmperf', thinking), 'ttft_s');
    expect(row.difference).toBe(ms(40));
    expect(row.steps[0]?.why).toBe('counted to the first chunk of the answer itself');
  });

  it('the wait for the first token: inside the pace of GuideLLM and LLMPerf', () => {
    const guidellm = bridgeOfRecords('guidellm', answers());
    expect(rowOf(guidellm, 'time_per_output_token_ms').tool).toBe(ms(180 / 5));
    expect(rowOf(guidellm, 'inter_token_latency_ms').tool).toBe(ms(20));
    expect(rowOf(bridgeOfRecords('llmperf', answers()), 'inter_token_latency_s').tool).toBe(
      ms(180 / 5),
    );
  });

  it('a usage event after the last output: inside the pace of genai-bench', () => {
    const slow = answers(10, (at) => ({ doneNs: ms(1_000 * at + 220) }));
    const bridge = bridgeOfRecords('genai-bench', slow);
    expect(rowOf(bridge, 'tpot').tool).toBe(ms(30));
    expect(rowOf(bridge, 'tpot').goodput).toBe(ms(20));
  });

  it('an answer faster than 1 ms after its first token: no pace to genai-bench', () => {
    const fast = answers(10, (at) => {
      const firstNs = ms(1_000 * at + 100);
      return at < 5 ? { arrivalsNs: [firstNs, firstNs + 1_000], doneNs: firstNs + 2_000 } : {};
    });
    expect(rowOf(bridgeOfRecords('genai-bench', fast), 'tpot').tool).toBe(ms(81 / 4));
  });

  it('long and short answers: GuideLLM weighs by tokens', () => {
    const mixed = answers(10, (at) => {
      if (at > 0) return {};
      const arrivalsNs = Array.from({ length: 101 }, (_, token) => ms(100 + 5 * token));
      return { arrivalsNs, usage: { completionTokens: 101 } };
    });
    const row = rowOf(bridgeOfRecords('guidellm', mixed), 'inter_token_latency_ms');
    // 100 tokens at 5 ms, 36 at 20 ms.
    expect(row.tool).toBeCloseTo((100 * ms(5) + 36 * ms(20)) / 136, 3);
    expect(row.goodput).toBeCloseTo((ms(5) + 9 * ms(20)) / 10, 3);
    expect(rowOf(bridgeOfRecords('guidellm', mixed), 'inter_token_latency_ms', 'p50').tool).toBe(
      ms(5),
    );
  });

  it('percentiles: interpolated, on a value, and one rank higher', () => {
    // TTFT of 1 … 100 ms.
    const spread = answers(100, (at) => ({
      arrivalsNs: [ms(1_000 * at + at + 1), ms(1_000 * at + at + 21)],
    }));
    const p99 = (name: ConventionName, measure: string) =>
      rowOf(bridgeOfRecords(name, spread), measure, 'p99');
    expect(p99('vllm-bench', 'TTFT').goodput).toBe(ms(99));
    expect(p99('vllm-bench', 'TTFT').tool).toBeCloseTo(ms(99.01), 3);
    expect(p99('mlperf', 'First Token latency').tool).toBe(ms(100));
    expect(p99('guidellm', 'time_to_first_token_ms').tool).toBe(ms(99));
  });

  it('a declared warm-up: goodput leaves it out, others have none in their run', () => {
    const builder = new SampleBuilder({
      point: pointOf({ stopNs: ms(60_000), steadyFromNs: ms(2_000), recordCount: 10 }),
      objective: null,
      correctness: plainObjective(),
      exactOutput: false,
      prefixCache: 'unique',
      hasInstants: true,
    });
    const cold = answers(10, (at) =>
      at < 2 ? { arrivalsNs: [ms(1_000 * at + 500), ms(1_000 * at + 520)] } : {},
    );
    for (const record of cold) builder.add(record);
    const row = rowOf(bridgeOf(CONVENTIONS['vllm-bench'], builder.finish()), 'TTFT');
    expect([row.goodput, row.tool]).toEqual([ms(100), ms(180)]);
    expect(row.steps).toEqual([{ why: 'the warm-up counts too: 2 requests', change: ms(80) }]);
  });

  it('dropped requests: no other tool knows of them', () => {
    const dropped = recordOf({ scheduleIndex: 10, plannedNs: ms(10_000), dropped: 'ceiling' });
    const bridge = bridgeOfRecords('vllm-bench', [...answers(), dropped]);
    expect(bridge.requests).toMatchObject({ sent: 10, dropped: 1 });
  });
});

describe('what records do not tell', () => {
  it('tokens: the tool would count the text', () => {
    const row = rowOf(
      bridgeOfRecords(
        'vllm-bench',
        answers(10, () => ({ usage: null })),
      ),
      'TPOT',
    );
    expect(row.tool).toBeNull();
    expect(row.lacking).toContain('no token count in 10 of 10 records');
  });

  it('limits: no goodput without, nor with one per prompt length', () => {
    const missing = rowOf(bridgeOfRecords('vllm-bench', answers()), 'Request goodput', null);
    expect([missing.tool, missing.lacking]).toEqual([null, 'no limits are asked: give --slo']);
    const slo = 'ttft[0-1k]<=1s, ttft[1k+]<=2s';
    const bucketed = bridgeOfRecords('vllm-bench', answers(), { slo });
    expect(rowOf(bucketed, 'Request goodput', null).lacking).toContain('one TTFT limit');
  });

  it('instants: no rates from a log without clock times', () => {
    const bridge = bridgeOfRecords('aiperf', answers(), { hasInstants: false });
    const row = rowOf(bridge, 'Request Throughput', null);
    expect([row.tool, row.lacking]).toEqual([
      null,
      'the records do not tell when requests were sent',
    ]);
  });

  it('nothing at all: an empty run has no figures and no fault', () => {
    for (const name of Object.keys(CONVENTIONS) as ConventionName[]) {
      const bridge = bridgeOfRecords(name, [], { slo: 'ttft<=1s, tpot<=40ms' });
      expect(bridge.rows.every((row) => row.tool === null || row.tool === 0)).toBe(true);
    }
  });
});

describe('MLPerf', () => {
  const slo = 'ttft<=150ms, tpot<=40ms';

  it('is invalid for a short run, with what early stopping lacks', () => {
    expect(bridgeOfRecords('mlperf', answers(), { slo }).statements).toEqual([
      'Result is: INVALID (limits as asked here; those of a benchmark are in mlperf.conf)',
      'p99 TTFT: satisfied; early stopping: NOT satisfied: 0 over the limit call for 449 more queries within it',
      'p99 TPOT: satisfied; early stopping: NOT satisfied: 0 over the limit call for 449 more queries within it',
      'min duration of 600.0 s: NOT satisfied (9.0 s)',
    ]);
  });

  it('is valid for 700 good queries over more than ten minutes', () => {
    const { statements } = bridgeOfRecords('mlperf', answers(700), { slo });
    expect(statements[0]).toContain('VALID (');
    expect(statements[0]).not.toContain('INVALID');
  });

  it('counts one query fewer, to the end of the one scheduled last', () => {
    const row = rowOf(bridgeOfRecords('mlperf', answers()), 'Completed samples per second', null);
    expect(row.tool).toBeCloseTo(9 / 9.181, 9);
  });
});
