/**
 * Conventions against what the tools themselves printed: their requests are imported, the
 * convention is applied, and the summary in their own file has to come out.
 *
 * What agrees, and what cannot:
 * - LLMPerf, 4 providers × 150 requests: mean, p50, p90, p95, p99 of TTFT and of end-to-end latency,
 *   and the counts of successes and errors, to 1e-8. Not its inter-token latency: it ends with the
 *   last content, whose instant the rows do not hold, so ours (to the end of the body) is 0.1–3 %
 *   higher. Not its throughput: the rows hold no instants of sending.
 * - vLLM as LLMServingSim recorded it, 4 runs × 300 requests: mean, median, p90, p95, p99 of TTFT,
 *   TPOT and latency to the last digit printed. That summary is numpy's, of vLLM's own instants.
 * - AIPerf: its summary is of 64 requests, of which its export here has 10, so no statistic can agree.
 *   Each request alone does: TTFT, inter-token latency, latency and mean chunk gap; and its rates are
 *   its counts by its span, as the convention says.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sampleOfLogs } from '../../src/cli/judge-as.ts';
import { readLog } from '../../src/cli/read-log.ts';
import {
  bridgeOf,
  CONVENTIONS,
  type Bridge,
  type ConventionName,
  type Statistic,
} from '../../src/conventions/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

const TRACES = sharedData('traces');

interface Logged {
  readonly record: RequestRecord;
  readonly startUs: number;
}

async function loggedOf(file: string): Promise<Logged[]> {
  const logged: Logged[] = [];
  await readLog(
    `${TRACES}/${file}`,
    { format: null, rejects: null, windowed: false },
    (record, startUs) => logged.push({ record, startUs }),
  );
  return logged;
}

function bridged(name: ConventionName, logged: readonly Logged[]): Bridge {
  return bridgeOf(CONVENTIONS[name], sampleOfLogs(logged, 'log', null));
}

function figure(bridge: Bridge, measure: string, statistic: Statistic | null = 'mean'): number {
  const row = bridge.rows.find((one) => one.measure === measure && one.statistic === statistic);
  return row?.tool ?? Number.NaN;
}

function json(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(`${TRACES}/${file}`, 'utf8')) as Readonly<Record<string, unknown>>;
}

describe.skipIf(TRACES === null)(`tools' own summaries (else: ${NO_SHARED_DATA})`, () => {
  const providers = ['groq', 'together', 'fireworks', 'bedrock'];

  it.each(providers)('LLMPerf, %s: TTFT, latency and counts', async (provider) => {
    const logged = await loggedOf(`llmperf-leaderboard/individual/${provider}_70b.jsonl`);
    const summary = json(`llmperf-leaderboard/summary/${provider}_70b.json`);
    const bridge = bridged('llmperf', logged);
    expect(bridge.requests).toMatchObject({
      sent: summary['results_num_requests_started'],
      successes: summary['results_num_completed_requests'],
      others: summary['results_number_errors'],
    });
    for (const measure of ['ttft_s', 'end_to_end_latency_s']) {
      for (const statistic of ['mean', 'p50', 'p90', 'p95', 'p99'] as const) {
        const key = statistic === 'mean' ? 'mean' : `quantiles_${statistic}`;
        const printedNs = Number(summary[`results_${measure}_${key}`]) * 1e9;
        expect(figure(bridge, measure, statistic) / printedNs).toBeCloseTo(1, 8);
      }
    }
    // The instant of the last content is not in the rows: ours ends with the body.
    const printedNs = Number(summary['results_inter_token_latency_s_mean']) * 1e9;
    const ratio = figure(bridge, 'inter_token_latency_s') / printedNs;
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(1.03);
    expect(figure(bridge, 'mean_output_throughput_token_per_s', null)).toBeNaN();
  });

  const runs = [
    'rtx4090-llama3.1-8b',
    'rtxpro6000-llama3.1-8b',
    'rtxpro6000-tp2-qwen3-32b',
    'rtxpro6000-dp2ep2-qwen3-30b-a3b',
  ];

  it.each(runs)('vLLM, %s: TTFT, TPOT and latency', async (run) => {
    const bridge = bridged(
      'vllm-bench',
      await loggedOf(`llmservingsim-vllm/${run}/requests.jsonl`),
    );
    const summary = readFileSync(`${TRACES}/llmservingsim-vllm/${run}/summary.txt`, 'utf8');
    const printed = [
      ...summary.matchAll(/^(TTFT|TPOT|Latency) (Mean|Median|P90|P95|P99)\s+([\d.]+)/gm),
    ];
    expect(printed).toHaveLength(15);
    for (const [, name, word = '', text = ''] of printed) {
      const statistic = (word === 'Median' ? 'p50' : word.toLowerCase()) as Statistic;
      const measure = name === 'Latency' ? 'E2EL' : (name ?? '');
      expect((figure(bridge, measure, statistic) / 1e6).toFixed(1)).toBe(text);
    }
  });

  it.each([1, 2, 4])('AIPerf at concurrency %i: each request alone', async (level) => {
    const folder = `aiperf-vllm/qwen_concurrency${level}`;
    const rows = readFileSync(`${TRACES}/${folder}/profile_export.jsonl`, 'utf8')
      .trim()
      .split('\n');
    const logged = await loggedOf(`${folder}/profile_export.jsonl`);
    expect(logged).toHaveLength(10);
    for (const [at, one] of logged.entries()) {
      const { metrics } = JSON.parse(rows[at] ?? '') as {
        metrics: Record<string, { value: number }>;
      };
      const bridge = bridged('aiperf', [one]);
      const ms = (measure: string): number => figure(bridge, measure) / 1e6;
      expect(ms('Time to First Token')).toBeCloseTo(metrics['time_to_first_token']!.value, 5);
      expect(ms('Inter Token Latency')).toBeCloseTo(metrics['inter_token_latency']!.value, 5);
      expect(ms('Request Latency')).toBeCloseTo(metrics['request_latency']!.value, 4);
      const gaps = metrics['inter_chunk_latency']!.value as unknown as readonly number[];
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(ms('Inter Chunk Latency')).toBeCloseTo(mean, 5);
    }
  });

  it.each([1, 2, 4])('AIPerf at concurrency %i: rates are counts by the span', (level) => {
    const summary = json(`aiperf-vllm/qwen_concurrency${level}/profile_export_aiperf.json`);
    const avg = (name: string): number => (summary[name] as { avg: number }).avg;
    const seconds = avg('benchmark_duration');
    // Stamps of 2025 in nanoseconds are known to a quarter of a microsecond as doubles.
    const spanNs = avg('max_response_timestamp') - avg('min_request_timestamp');
    expect(spanNs / 1e9).toBeCloseTo(seconds, 6);
    expect(avg('request_count') / seconds).toBeCloseTo(avg('request_throughput'), 9);
    expect(avg('total_osl') / seconds).toBeCloseTo(avg('output_token_throughput'), 9);
  });

  it('AIPerf: the rates of the ten requests are theirs by their own span', async () => {
    const logged = await loggedOf('aiperf-vllm/qwen_concurrency4/profile_export.jsonl');
    const rows = readFileSync(
      `${TRACES}/aiperf-vllm/qwen_concurrency4/profile_export.jsonl`,
      'utf8',
    )
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            metadata: { request_start_ns: number };
            metrics: Record<string, { value: number }>;
          },
      );
    const starts = rows.map((row) => row.metadata.request_start_ns);
    const ends = rows.map(
      (row) => row.metadata.request_start_ns + row.metrics['request_latency']!.value * 1e6,
    );
    const seconds = (Math.max(...ends) - Math.min(...starts)) / 1e9;
    const bridge = bridged('aiperf', logged);
    expect(figure(bridge, 'Request Throughput', null)).toBeCloseTo(10 / seconds, 5);
  });
});
