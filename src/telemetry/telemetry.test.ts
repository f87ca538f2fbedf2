import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NO_SHARED_DATA, sharedData } from '../../test/support/shared-data.ts';
import { ENGINE_METRICS } from './engine-metrics.ts';
import { countWithin, histogramMean, jointBounds, quantileBounds } from './histogram-bounds.ts';
import { addHistograms, type HistogramCounts, histogramIncrease } from './histogram-counts.ts';
import { knownLines } from './known-lines.ts';
import { readScrape } from './read-scrape.ts';
import type { Scrape } from './scrape.ts';
import { serverPoint } from './server-point.ts';

const VLLM_V1 = `# HELP vllm:num_requests_running Running.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 2
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0"} 0.5
vllm:kv_cache_usage_perc{engine="1"} 0.25
# TYPE vllm:request_success_total counter
vllm:request_success_total{finished_reason="stop"} 4
vllm:request_success_total{finished_reason="length"} 5
vllm:request_success_total{finished_reason="abort"} 7
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.5"} 1
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf"} 4
vllm:time_to_first_token_seconds_sum{engine="0"} 6
vllm:time_to_first_token_seconds_count{engine="0"} 4
python_gc_objects_collected_total{generation="0"} 10
`;

describe('one scrape', () => {
  it('adds label sets, takes the fullest share, and counts no abort as finished', () => {
    const reading = readScrape(VLLM_V1);
    expect(reading?.engine).toBe('vLLM');
    expect(Object.fromEntries(reading?.gauges ?? [])).toEqual({ running: 5, kvUsedShare: 0.5 });
    expect(Object.fromEntries(reading?.counters ?? [])).toEqual({ finishedRequests: 9 });
    expect(reading?.histograms.get('ttft')).toEqual({
      buckets: [{ upperSeconds: 0.5, atMost: 1 }],
      sumSeconds: 6,
      count: 4,
    });
  });

  it('reads the names of older versions, and the new one where both stand', () => {
    const old = 'vllm:gpu_cache_usage_perc 0.75\nvllm:gpu_prefix_cache_hits_total 8\n';
    expect(readScrape(old)?.gauges.get('kvUsedShare')).toBe(0.75);
    expect(readScrape(old)?.counters.get('cachedTokens')).toBe(8);
    expect(readScrape(`${old}vllm:kv_cache_usage_perc 0.5\n`)?.gauges.get('kvUsedShare')).toBe(0.5);
  });

  it('takes colon and underscore alike, and says where a name means something else', () => {
    const sglang = 'sglang_num_queue_reqs{tp_rank="0"} 3\nsglang_num_running_reqs 1\n';
    expect(readScrape(sglang)?.gauges.get('waiting')).toBe(3);
    expect(readScrape('dynamo_frontend_queued_requests 2\n')?.caveats).toHaveLength(1);
    expect(readScrape('up 1\n<html>')).toBeNull();
  });

  it.each(ENGINE_METRICS.map((table) => [table.engine, table] as const))(
    'tells %s from the others by any of its names',
    (engine, table) => {
      for (const alias of [...Object.values(table.gauges), ...Object.values(table.counters)]) {
        for (const name of alias.names) expect(readScrape(`${name} 1\n`)?.engine).toBe(engine);
      }
    },
  );

  it('reads what engines say of their drafts', () => {
    const vllm =
      'vllm:spec_decode_num_drafts_total{engine="0"} 100\n' +
      'vllm:spec_decode_num_draft_tokens_total{engine="0"} 300\n' +
      'vllm:spec_decode_num_accepted_tokens_total{engine="0"} 180\n' +
      'vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 90\n';
    expect(Object.fromEntries(readScrape(vllm)?.counters ?? [])).toEqual({
      drafts: 100,
      draftTokens: 300,
      acceptedDraftTokens: 180,
    });
    const sglang = 'sglang:spec_accept_length 2.8\nsglang:spec_accept_rate 0.6\n';
    expect(Object.fromEntries(readScrape(sglang)?.gauges ?? [])).toEqual({
      draftAcceptedShare: 0.6,
      tokensPerDraft: 2.8,
    });
  });

  it('keeps the lines of known families and nothing else', () => {
    const kept = knownLines(VLLM_V1);
    expect(kept).not.toMatch(/python|HELP/);
    expect(readScrape(kept)).toEqual(readScrape(VLLM_V1));
    expect(knownLines('up 1\n')).toBe('');
  });
});

const counts = (edges: readonly (readonly [number, number])[], count: number): HistogramCounts => ({
  buckets: edges.map(([upperSeconds, atMost]) => ({ upperSeconds, atMost })),
  sumSeconds: 1,
  count,
});

describe('histograms', () => {
  const ttft = counts([[0.1, 50], [0.5, 95], [1, 99]], 100); // prettier-ignore
  const tpot = counts([[0.02, 60], [0.04, 95]], 100); // prettier-ignore

  it('bounds a joint share as the textbook example: 95 % and 95 % leave 90 to 95 %', () => {
    const limits = { ttftSeconds: { low: 0.5, high: 0.5 }, tpotSeconds: 0.04 };
    expect(jointBounds(ttft, tpot, limits)).toEqual({ low: 0.9, high: 0.95 });
  });

  it('takes both edges of the bucket that a limit lies in', () => {
    expect(countWithin(ttft, 0.3)).toEqual({ low: 50, high: 95 });
    expect(countWithin(ttft, 5)).toEqual({ low: 99, high: 100 });
    expect(countWithin(ttft, 0.01)).toEqual({ low: 0, high: 50 });
    const limits = { ttftSeconds: { low: 0.3, high: 0.3 }, tpotSeconds: 0.03 };
    expect(jointBounds(ttft, tpot, limits)).toEqual({ low: 0.1, high: 0.95 });
  });

  it('lets no request of one token miss TPOT', () => {
    const few = counts([[0.04, 10]], 10);
    const limits = { ttftSeconds: { low: 0.5, high: 0.5 }, tpotSeconds: 0.04 };
    expect(jointBounds(ttft, few, limits)).toEqual({ low: 0.95, high: 0.95 });
  });

  it('subtracts, and tells a restart', () => {
    const later = counts([[0.1, 60], [0.5, 120]], 140); // prettier-ignore
    expect(histogramIncrease(ttft, later)).toMatchObject({
      buckets: [
        { upperSeconds: 0.1, atMost: 10 },
        { upperSeconds: 0.5, atMost: 25 },
      ],
      count: 40,
    });
    expect(histogramIncrease(later, ttft)).toBeNull();
  });

  it('keeps the edges that all have', () => {
    expect(addHistograms([ttft, counts([[0.1, 1], [0.4, 2]], 3)])).toMatchObject({
      buckets: [{ upperSeconds: 0.1, atMost: 51 }],
      count: 103,
    }); // prettier-ignore
    expect(addHistograms([])).toBeNull();
  });
});

function scrape(beat: number, text: string | null, more: Partial<Scrape> = {}): Scrape {
  const phase = beat === 0 ? 'before' : 'during';
  const at = { sentNs: beat * 10, receivedNs: beat * 10 + 2 };
  const failure = text === null ? 'timeout' : null;
  return { pointIndex: 0, url: 'a', beat, phase, ...at, text, failure, ...more };
}

const page = (tokens: number, running = 0): string =>
  `vllm:generation_tokens_total ${tokens}\nvllm:num_requests_running ${running}\n`;

describe('a load point', () => {
  it('counts from the first answer to the last and states their instants', () => {
    const point = serverPoint(0, [
      scrape(0, page(100)),
      scrape(1, null),
      scrape(2, page(150, 4)),
      scrape(3, page(180, 2)),
    ]);
    expect(point.counters.outputTokens).toBe(80);
    expect(point.gauges.running).toEqual({ mean: 3, max: 4, looks: 2 });
    expect(point.endpoints).toEqual([
      {
        url: 'a',
        engine: 'vLLM',
        scrapes: 4,
        failures: 1,
        lastFailure: 'timeout',
        window: { fromNs: 0, toNs: 32 },
        fallCount: 0,
      },
    ]);
  });

  it('adds endpoints, and levels only where all of them answered', () => {
    const b = { url: 'b' };
    const point = serverPoint(0, [
      scrape(0, page(0)),
      scrape(0, page(50), b),
      scrape(1, page(5, 2)),
      scrape(1, page(60, 3), b),
      scrape(2, page(9, 40)),
      scrape(2, null, b),
    ]);
    expect(point.counters.outputTokens).toBe(19);
    expect(point.gauges.running).toEqual({ mean: 5, max: 5, looks: 1 });
  });

  it('takes one fall for a restart and more for several servers behind one address', () => {
    const restarted = serverPoint(
      0,
      [100, 120, 7, 9].map((n, at) => scrape(at, page(n))),
    );
    expect(restarted.counters.outputTokens).toBe(29);
    expect(restarted.endpoints[0]?.fallCount).toBe(1);
    const mixed = serverPoint(
      0,
      [100, 7, 110, 9].map((n, at) => scrape(at, page(n))),
    );
    expect(mixed.endpoints[0]?.fallCount).toBe(2);
    expect(mixed.counters).toEqual({});
  });

  it('knows nothing of a server that never answered', () => {
    const point = serverPoint(0, [scrape(0, null), scrape(1, null)]);
    expect(point.endpoints[0]).toMatchObject({ engine: null, window: null, failures: 2 });
    expect([point.counters, point.gauges, point.histograms]).toEqual([{}, {}, {}]);
  });
});

describe('scrapes nobody here wrote', () => {
  const overloaded = sharedData('metrics/sglang-overloaded.prom');
  const partial = sharedData('metrics/vllm-partial.prom');

  it.skipIf(overloaded === null)(`SGLang past saturation (${NO_SHARED_DATA})`, () => {
    const reading = readScrape(knownLines(readFileSync(overloaded ?? '', 'utf8')));
    expect(reading?.engine).toBe('SGLang');
    expect(reading?.gauges.get('waiting')).toBe(2_826);
    expect(reading?.gauges.get('running')).toBe(162);
    const ttft = reading?.histograms.get('ttft') as HistogramCounts;
    expect(histogramMean(ttft)).toBeCloseTo(213.65, 2);
    expect(quantileBounds(ttft, 0.5)).toEqual({ low: 30, high: Number.POSITIVE_INFINITY });
    expect(quantileBounds(ttft, 0.1)).toEqual({ low: 7.5, high: 10 });
    expect(histogramMean(reading?.histograms.get('tokenGap') as HistogramCounts)).toBeCloseTo(
      0.11714,
      4,
    );
    expect(reading?.histograms.has('tpot')).toBe(false);
  });

  it.skipIf(partial === null)(`vLLM without sums (${NO_SHARED_DATA})`, () => {
    const ttft = readScrape(readFileSync(partial ?? '', 'utf8'))?.histograms.get('ttft');
    expect(histogramMean(ttft as HistogramCounts)).toBeNull();
    expect(quantileBounds(ttft as HistogramCounts, 0.5)).toEqual({ low: 0.02, high: 0.04 });
    expect(quantileBounds(ttft as HistogramCounts, 0.99)).toEqual({ low: 0.08, high: 0.1 });
  });
});
