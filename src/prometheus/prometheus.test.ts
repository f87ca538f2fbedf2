import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_SHARED_DATA, sharedData } from '../../test/support/shared-data.ts';
import { Histogram, readHistograms } from './histogram.ts';
import { numberFamily, type MetricFamily, type MetricSample } from './metric-family.ts';
import { parseMetrics } from './parse-metrics.ts';
import { renderMetrics } from './render-metrics.ts';

describe('writing', () => {
  test('a counter with awkward labels and help', () => {
    const family = numberFamily('counter', 'vllm:request_success_total', 'Done.\nAll \\ of it', [
      { labels: { finished_reason: 'a "quoted"\\\nword' }, value: 3 },
      { labels: {}, value: Number.POSITIVE_INFINITY },
    ]);
    expect(renderMetrics([family])).toBe(
      '# HELP vllm:request_success_total Done.\\nAll \\\\ of it\n' +
        '# TYPE vllm:request_success_total counter\n' +
        'vllm:request_success_total{finished_reason="a \\"quoted\\"\\\\\\nword"} 3\n' +
        'vllm:request_success_total +Inf\n',
    );
  });

  test('a histogram has cumulative buckets, +Inf, sum and count', () => {
    const histogram = new Histogram([0.5, 1]);
    for (const value of [0.25, 0.5, 0.75, 8]) histogram.observe(value);
    const family = {
      name: 'x',
      type: 'histogram',
      help: null,
      samples: histogram.samples('x', {}),
    };
    expect(renderMetrics([family as MetricFamily])).toBe(
      '# TYPE x histogram\nx_bucket{le="0.5"} 2\nx_bucket{le="1.0"} 3\n' +
        'x_bucket{le="+Inf"} 4\nx_sum 9.5\nx_count 4\n',
    );
  });

  test('refuses names that would break the text', () => {
    expect(() => renderMetrics([numberFamily('gauge', 'a b', '', [])])).toThrow(/metric name/);
    const labelled = numberFamily('gauge', 'a', '', [{ labels: { 'b"': '' }, value: 1 }]);
    expect(() => renderMetrics([labelled])).toThrow(/label name/);
    expect(() => new Histogram([1, 1])).toThrow(/ascend/);
  });
});

describe('reading', () => {
  test('takes blanks, exponents, timestamps, trailing commas and unknown comments', () => {
    const { families, malformedLines } = parseMetrics(
      '# a comment\r\n\n  up 1 1700000000000\ny { a = "1" , b="}" , } -2.5e-3\nz NaN\n# EOF\n',
    );
    expect(malformedLines).toEqual([]);
    expect(families.flatMap((family) => family.samples)).toEqual([
      { name: 'up', labels: {}, value: 1, timestampMs: 1_700_000_000_000 },
      { name: 'y', labels: { a: '1', b: '}' }, value: -0.0025, timestampMs: null },
      { name: 'z', labels: {}, value: Number.NaN, timestampMs: null },
    ]);
  });

  test('names the lines it cannot read and keeps the rest', () => {
    const text = 'a{ 1\nb 0x10\nc{x=1} 1\nok 1\n<html>\n# TYPE ok nonsense\nd{x="1"y="2"} 1\ne\n';
    const { families, malformedLines } = parseMetrics(text);
    expect(malformedLines).toEqual([1, 2, 3, 5, 6, 7, 8]);
    expect(families.map((family) => family.name)).toEqual(['ok']);
  });

  test('never crashes, whatever a server sends', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseMetrics(text)));
  });

  test('a sample ending in _count is not a histogram without a declaration', () => {
    const { families } = parseMetrics('# TYPE x counter\nx 1\nx_count 2\n');
    expect(families.map(({ name, type }) => [name, type])).toEqual([
      ['x', 'counter'],
      ['x_count', 'untyped'],
    ]);
  });
});

const anySample: fc.Arbitrary<Omit<MetricSample, 'name'>> = fc.record({
  labels: fc.dictionary(fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/), fc.string({ unit: 'binary' })),
  // Adding 0 turns −0, which the text does not tell from 0, into 0.
  value: fc.double().map((value) => value + 0),
  timestampMs: fc.option(fc.integer()),
});

test('reading undoes writing', () => {
  const anyFamilies = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z_:][a-z0-9_:]{0,8}x$/),
      type: fc.constantFrom('counter' as const, 'gauge' as const, 'untyped' as const),
      help: fc.option(fc.string().map((text) => text.trim())),
      samples: fc.array(anySample),
    }),
    { selector: (family) => family.name },
  );
  fc.assert(
    fc.property(anyFamilies, (drawn) => {
      const families: MetricFamily[] = drawn.map((family) => ({
        ...family,
        samples: family.samples.map((sample) => ({ ...sample, name: family.name })),
      }));
      expect(parseMetrics(renderMetrics(families))).toEqual({ families, malformedLines: [] });
    }),
  );
});

test('histograms are read back from lines in any order', () => {
  const histogram = new Histogram([0.1, 1]);
  histogram.observe(0.5);
  const samples = [
    ...histogram.samples('x', { model: 'b' }),
    ...histogram.samples('x', { model: 'a' }),
  ].toReversed();
  const reading = readHistograms({ name: 'x', type: 'histogram', help: null, samples });
  expect(reading.map(({ labels }) => labels)).toEqual([{ model: 'a' }, { model: 'b' }]);
  expect(reading[0]).toMatchObject({
    sum: 0.5,
    count: 1,
    buckets: [
      { upperEdge: 0.1, cumulativeCount: 0 },
      { upperEdge: 1, cumulativeCount: 1 },
      { upperEdge: Number.POSITIVE_INFINITY, cumulativeCount: 1 },
    ],
  });
});

describe('scrapes nobody here wrote', () => {
  const overloaded = sharedData('metrics/sglang-overloaded.prom');
  const partial = sharedData('metrics/vllm-partial.prom');

  test.skipIf(overloaded === null)(`an overloaded server (skips: ${NO_SHARED_DATA})`, () => {
    const { families, malformedLines } = parseMetrics(readFileSync(overloaded ?? '', 'utf8'));
    expect(malformedLines).toEqual([]);
    const byName = new Map(families.map((family) => [family.name, family]));
    expect(byName.get('sglang:num_queue_reqs')?.samples[0]?.value).toBe(2_826);
    const ttft = byName.get('sglang:time_to_first_token_seconds') as MetricFamily;
    const [reading] = readHistograms(ttft);
    expect(reading?.count).toBe(11_008);
    expect((reading?.sum as number) / 11_008).toBeCloseTo(213.65, 2);
    expect(reading?.buckets.at(-2)).toEqual({ upperEdge: 30, cumulativeCount: 2_513 });
  });

  test.skipIf(partial === null)(`a text without sum and +Inf (skips: ${NO_SHARED_DATA})`, () => {
    const { families } = parseMetrics(readFileSync(partial ?? '', 'utf8'));
    const ttft = families.find((family) => family.name === 'vllm:time_to_first_token_seconds');
    const [reading] = readHistograms(ttft as MetricFamily);
    expect(reading).toMatchObject({ sum: null, count: 140 });
    expect(reading?.buckets.at(-1)).toEqual({ upperEdge: 0.1, cumulativeCount: 140 });
  });
});
