/**
 * Logs of LLMServingSim's validation runs (github.com/casys-kaist/LLMServingSim, `bench/`): what a
 * vLLM server itself noted of every request, and the settings it ran with.
 */
import { z } from 'zod';
import { NS_PER_SECOND } from '../base/index.ts';
import {
  NO_OUTPUT,
  RECORD_SCHEMA_VERSION,
  type OutputEvents,
  type RequestRecord,
} from '../record/index.ts';
import type { Imported } from './import-result.ts';
import { readJsonLines, type JsonRow } from './json-lines.ts';
import { parseJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';

const ROW = z.strictObject({
  request_id: z.string(),
  input_toks: z.int().min(1),
  output_toks: z.int().min(1),
  arrival_time: z.number().min(0),
  queued_ts: z.number().min(0),
  scheduled_ts: z.number().min(0),
  first_token_ts: z.number().min(0),
  last_token_ts: z.number().min(0),
});

type Row = z.output<typeof ROW>;

/**
 * When a request arrives: when the front end took it, or when the engine noted it, which it does
 * between two steps only. The publishers count from the latter.
 */
export type LlmServingSimArrival = 'frontEnd' | 'engine';

/**
 * Reads `requests.jsonl`: one record a request, in order of arrival, the first at 0.
 *
 * `arrival_time`, when the front end took a request, is on the wall clock and everything else on the
 * monotonic one; `queued_ts`, when the engine noted it, is always the end of a step. So the two
 * differ by up to the length of a step, and by their clocks: the smallest difference in the run is
 * taken for that of the clocks, and taken off. Only the first and the last token have an instant, so
 * the rest are told of in one event at the last one's: TTFT, TPOT and completion are exact, single
 * gaps are not there. Sizes in bytes are not in the log; 1 stands for each event.
 */
export function parseLlmServingSimLog(
  text: string,
  {
    file,
    model = null,
    arrival = 'frontEnd',
  }: {
    readonly file: string;
    readonly model?: string | null;
    /** Left out: `frontEnd`. */
    readonly arrival?: LlmServingSimArrival;
  },
): Imported<readonly RequestRecord[]> {
  const problems = new ProblemList(file);
  const rows = readJsonLines(text, ROW, { problems, code: 'E_TRACE_ROW' });
  for (const row of rows) checkOrder(row, problems);
  if (rows.length === 0 && problems.count === 0) {
    const message = 'the log holds no request';
    problems.add({ code: 'E_TRACE_FORMAT', line: 1, column: 1, message, hint: null });
  }
  if (problems.count > 0) return { kind: 'problems', problems: problems.toProblems() };
  const clocksSeconds = Math.min(...rows.map(({ row }) => row.queued_ts - row.arrival_time));
  const arrivals = rows
    .map(({ row }) => {
      const atSeconds = arrival === 'engine' ? row.queued_ts : row.arrival_time + clocksSeconds;
      return { row, atSeconds: Math.min(atSeconds, row.queued_ts) };
    })
    .toSorted((a, b) => a.atSeconds - b.atSeconds);
  const originSeconds = arrivals[0]?.atSeconds ?? 0;
  const records = arrivals.map(({ row, atSeconds }, index) =>
    recordOf(row, { index, atSeconds, originSeconds, model }),
  );
  return { kind: 'imported', value: records, notes: [] };
}

function checkOrder({ line, row, columnOf }: JsonRow<Row>, problems: ProblemList): void {
  const keys = ['queued_ts', 'scheduled_ts', 'first_token_ts', 'last_token_ts'] as const;
  for (const [index, key] of keys.entries()) {
    const earlier = keys[index - 1];
    if (earlier === undefined || row[key] >= row[earlier]) continue;
    const message = `${key} is before ${earlier}`;
    problems.add({ code: 'E_TRACE_ROW', line, column: columnOf(key), message, hint: null });
  }
}

function recordOf(
  row: Row,
  place: {
    readonly index: number;
    readonly atSeconds: number;
    readonly originSeconds: number;
    readonly model: string | null;
  },
): RequestRecord {
  const ns = (seconds: number): number =>
    Math.round((seconds - place.originSeconds) * NS_PER_SECOND);
  const arrivedNs = ns(place.atSeconds);
  const lastNs = ns(row.last_token_ts);
  const output = outputOf(row.output_toks, ns(row.first_token_ts), lastNs);
  return {
    schemaVersion: RECORD_SCHEMA_VERSION,
    source: 'imported',
    clock: 'server',
    experimentHash: 'imported',
    pointIndex: 0,
    scheduleIndex: place.index,
    requestId: row.request_id,
    logicalRequestId: row.request_id,
    attempt: 1,
    nextTryNs: null,
    labels: { model: place.model, tenant: null, class: null, region: null, session: null },
    promptTokensPlanned: row.input_toks,
    outputTokensMax: row.output_toks,
    streamed: true,
    oneTokenPerEvent: false,
    inFlightAtDispatch: null,
    dispatch: { kind: 'sent', plannedNs: arrivedNs, dispatchedNs: arrivedNs },
    timeline: {
      connectedNs: null,
      tlsDoneNs: null,
      reused: null,
      peer: null,
      writtenNs: null,
      firstByteNs: null,
      firstEventNs: output.atNs[0] ?? null,
      lastChoicesEventNs: lastNs,
      usageAtNs: null,
      finishNs: lastNs,
      terminalNs: null,
      doneNs: lastNs,
      bodyEndNs: null,
      output,
      usage: {
        promptTokens: row.input_toks,
        completionTokens: row.output_toks,
        reasoningTokens: null,
        cachedPromptTokens: null,
      },
      local: null,
      draft: null,
      limits: [],
      finishReason: 'length',
      commentCount: 0,
      bodyBytes: 0,
      notes: [],
    },
    end: { kind: 'completed' },
    httpStatus: null,
    queueNs: ns(row.scheduled_ts) - arrivedNs,
    checks: [],
    traceId: null,
  };
}

function outputOf(tokens: number, firstNs: number, lastNs: number): OutputEvents {
  const first: OutputEvents = {
    ...NO_OUTPUT,
    atNs: [firstNs],
    kind: ['answer'],
    bytes: [1],
    tokens: [1],
    readId: [0],
  };
  if (tokens === 1) return first;
  return {
    atNs: [firstNs, lastNs],
    kind: ['answer', 'answer'],
    bytes: [1, 1],
    tokens: [1, tokens - 1],
    readId: [0, 1],
  };
}

/** The settings of a run that decide what its engine does. `null` = not in the file. */
export interface LlmServingSimSettings {
  readonly model: string;
  readonly engineVersion: string;
  readonly tensorParallel: number;
  /** Engines side by side, each with its own queue. */
  readonly dataParallel: number;
  readonly expertParallel: boolean;
  readonly tokenBudget: number;
  readonly maxSequences: number;
  readonly kvBlocks: number | null;
  readonly kvBlockTokens: number | null;
  /** Whether a step is planned while the one before it runs. */
  readonly asyncScheduling: boolean | null;
}

const META = z.looseObject({
  model: z.string(),
  vllm_version: z.string(),
  engine_kwargs: z.looseObject({
    tensor_parallel_size: z.int().min(1),
    data_parallel_size: z.int().min(1),
    enable_expert_parallel: z.boolean(),
    max_num_seqs: z.int().min(1),
    max_num_batched_tokens: z.int().min(1),
  }),
  kv_cache: z
    .looseObject({ num_gpu_blocks: z.int().min(1), block_size: z.int().min(1) })
    .optional(),
  resolved_config: z
    .looseObject({ scheduler_config: z.looseObject({ async_scheduling: z.boolean() }) })
    .optional(),
});

/** Reads the `meta.json` beside a log. */
export function parseLlmServingSimMeta(
  text: string,
  { file }: { readonly file: string },
): Imported<LlmServingSimSettings> {
  const problems = new ProblemList(file);
  const parsed = parseJson(text);
  const checked = parsed.kind === 'json' ? META.safeParse(parsed.value) : null;
  if (checked?.success !== true) {
    const place = parsed.kind === 'invalid' ? parsed.place : { line: 1, column: 1 };
    const path = checked?.error?.issues[0]?.path.join('.') ?? '';
    const message = path === '' ? 'not a JSON object' : `${path} is missing or of another type`;
    problems.add({ code: 'E_TRACE_FORMAT', ...place, message, hint: null });
    return { kind: 'problems', problems: problems.toProblems() };
  }
  const { model, vllm_version: engineVersion, engine_kwargs: engine, kv_cache: kv } = checked.data;
  const value: LlmServingSimSettings = {
    model,
    engineVersion,
    tensorParallel: engine.tensor_parallel_size,
    dataParallel: engine.data_parallel_size,
    expertParallel: engine.enable_expert_parallel,
    tokenBudget: engine.max_num_batched_tokens,
    maxSequences: engine.max_num_seqs,
    kvBlocks: kv?.num_gpu_blocks ?? null,
    kvBlockTokens: kv?.block_size ?? null,
    asyncScheduling: checked.data.resolved_config?.scheduler_config.async_scheduling ?? null,
  };
  return { kind: 'imported', value, notes: [] };
}
