import { describe, expect, test } from 'vitest';
import { checkRecord, measureRecord } from '../record/index.ts';
import { parseLlmServingSimLog, parseLlmServingSimMeta } from './llmservingsim-log.ts';

const ROW = {
  request_id: 'bench-0',
  input_toks: 2_358,
  output_toks: 5,
  arrival_time: 1_787_267_980.08,
  queued_ts: 27_536.660701067,
  scheduled_ts: 27_536.660721646,
  first_token_ts: 27_537.350135653,
  last_token_ts: 27_537.750135653,
};

function lines(...rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function read(...rows: readonly object[]) {
  const result = parseLlmServingSimLog(lines(...rows), { file: 'requests.jsonl', model: 'm' });
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function problems(...rows: readonly object[]): string[] {
  const result = parseLlmServingSimLog(lines(...rows), { file: 'requests.jsonl' });
  if (result.kind !== 'problems') throw new Error('it was read');
  return result.problems.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);
}

describe('a log', () => {
  test('its record is sound, and measures what the server noted', () => {
    const [record] = read(ROW);
    expect(checkRecord(record!)).toEqual([]);
    expect(record).toMatchObject({ source: 'imported', clock: 'server' });
    // Seconds since 1970 are exact to a quarter of a microsecond.
    expect((record?.queueNs ?? 0) / 1e3).toBeCloseTo(20.579, 0);
    const measures = measureRecord(record!, { counts: ['answer'] });
    expect((measures.ttftFromPlannedNs ?? 0) / 1e6).toBeCloseTo(689.4346, 3);
    expect(measures.tpotNs).toBe(100_000_000);
    expect((measures.completionNs ?? 0) / 1e6).toBeCloseTo(1_089.4346, 3);
    expect(measures.promptTokens).toBe(2_358);
    // Two events for five tokens: there are no gaps between tokens to be had.
    expect(measures.itlNs).toBeNull();
  });

  test('a request arrives when the front end took it, by the clock of the engine', () => {
    // The engine noted both at the end of a step; the first had waited 250 ms for that.
    const later = { ...ROW, request_id: 'b', arrival_time: ROW.arrival_time + 0.25 };
    const records = read(later, ROW);
    expect(records.map(({ requestId }) => requestId)).toEqual(['bench-0', 'b']);
    const planned = records.map(({ dispatch }) => (dispatch.plannedNs ?? 0) / 1e6);
    expect(planned[0]).toBe(0);
    expect(planned[1]).toBeCloseTo(250, 3);
    expect((records[0]?.queueNs ?? 0) / 1e6).toBeCloseTo(250.02, 2);
    expect(records.map(({ scheduleIndex }) => scheduleIndex)).toEqual([0, 1]);
  });

  test('or when the engine noted it, whatever the front end’s wall clock says', () => {
    const earlier = { ...ROW, request_id: 'b', queued_ts: 27_536.5, arrival_time: 1_999_999_999 };
    const result = parseLlmServingSimLog(lines(ROW, earlier), { file: 'r', arrival: 'engine' });
    const records = result.kind === 'imported' ? result.value : [];
    expect(records.map(({ requestId }) => requestId)).toEqual(['b', 'bench-0']);
    expect(records.map(({ dispatch }) => dispatch.plannedNs)).toEqual([0, 160_701_067]);
    expect(records.map(({ queueNs }) => queueNs)).toEqual([160_721_646, 20_579]);
  });

  test('an answer of one token has a TTFT and no pace', () => {
    const [record] = read({ ...ROW, output_toks: 1, last_token_ts: ROW.first_token_ts });
    expect(checkRecord(record!)).toEqual([]);
    const { tpotNs, reasons } = measureRecord(record!, { counts: ['answer'] });
    expect([tpotNs, reasons.tpot]).toEqual([null, 'oneToken']);
  });

  test('mistakes are told at their key', () => {
    expect(
      problems({ ...ROW, first_token_ts: 1 }, { ...ROW, output_toks: 0 }, { ...ROW, extra: 1 }).map(
        (text) => text.replace(/:\d+/, ''),
      ),
    ).toEqual([
      '1 first_token_ts is before scheduled_ts',
      expect.stringMatching(/^2 output_toks/),
      expect.stringMatching(/^3 unknown key extra/),
    ]);
    expect(problems()).toEqual(['1:1 the log holds no request']);
  });
});

describe('settings', () => {
  const META = {
    model: 'meta-llama/Llama-3.1-8B',
    vllm_version: '0.19.0',
    engine_kwargs: {
      tensor_parallel_size: 2,
      data_parallel_size: 1,
      enable_expert_parallel: false,
      max_num_seqs: 256,
      max_num_batched_tokens: 2_048,
    },
  };

  test('with and without memory', () => {
    const parse = (meta: object) => {
      const result = parseLlmServingSimMeta(JSON.stringify(meta), { file: 'meta.json' });
      return result.kind === 'imported' ? result.value : null;
    };
    expect(parse(META)).toMatchObject({ tensorParallel: 2, maxSequences: 256, kvBlocks: null });
    const kv = { num_gpu_blocks: 2_588, block_size: 16 };
    expect(parse({ ...META, kv_cache: kv })).toMatchObject({ kvBlocks: 2_588, kvBlockTokens: 16 });
    const resolved = { scheduler_config: { async_scheduling: true } };
    expect(parse({ ...META, resolved_config: resolved })?.asyncScheduling).toBe(true);
    expect(parse(META)?.asyncScheduling).toBeNull();
  });

  test('a file of another kind', () => {
    const result = parseLlmServingSimMeta('{"model": 1}', { file: 'meta.json' });
    expect(result.kind === 'problems' && result.problems[0]?.message).toMatch(/^model is missing/);
  });
});
