/** Loads over generator processes of this machine, against a server on loopback. */
import { createRealClock, NS_PER_SECOND } from '../../src/base/index.ts';
import { type RunSpec, runSpecFromFlags } from '../../src/config/index.ts';
import type { GeneratedLoad, GeneratorLoad } from '../../src/experiment/generate-load.ts';
import { GeneratorPool } from '../../src/experiment/generators/generator-pool.ts';
import { readyStripes } from '../../src/experiment/generators/ready-stripes.ts';
import { Budget, type BudgetLimits } from '../../src/loadgen/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import {
  type LoadShape,
  planSchedule,
  type PromptSource,
  type RetryPolicy,
  type Schedule,
  type SessionMix,
} from '../../src/workload/index.ts';
import { NO_LIMITS } from './point-run.ts';

export interface StripedLoadOptions {
  readonly shape: LoadShape;
  readonly processes: number;
  readonly limits?: Partial<BudgetLimits>;
  readonly outputTokens?: number;
  /** Of sessions; left out: requests on their own. */
  readonly sessions?: SessionMix;
  readonly retry?: RetryPolicy;
  /** Called once the processes are there, before they have the load. */
  readonly onTaken?: (control: StripedControl) => void;
  /** Called for each record, while the load runs. */
  readonly onRecord?: (record: RequestRecord, control: StripedControl) => void;
  /** Called while requests are in flight, four times a second. */
  readonly onFlight?: (control: StripedControl) => void;
}

export interface StripedControl {
  /** Of the generator processes. */
  readonly pids: readonly number[];
  readonly stopStarts: AbortController;
  readonly cancelAll: AbortController;
}

export interface StripedOutcome extends GeneratedLoad {
  readonly schedule: Schedule;
  readonly records: readonly RequestRecord[];
  readonly budget: Budget;
}

export function specFor(flags: Readonly<Record<string, string>>): RunSpec {
  const parsed = runSpecFromFlags(flags, { env: {}, readFile: () => '' });
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.spec;
}

/** Generators that are kept from load to load, as in a run. */
export interface StripedLoads {
  send(options: StripedLoadOptions): Promise<StripedOutcome>;
  close(): Promise<void>;
}

const SOURCE = {
  kind: 'synthetic',
  input: { kind: 'fixed', tokens: 16 },
  prefix: { kind: 'unique' },
} as const;

export function stripedLoads(url: string): StripedLoads {
  const spec = specFor({ url, rate: '1' });
  const clock = createRealClock();
  const pool = new GeneratorPool({
    target: spec.target,
    checks: [],
    clockOriginMs: clock.sharedOriginMs,
    wallOriginMs: 0,
    apiKey: null,
    files: {},
    tracing: { traceShare: 0, seeds: { arrivals: 1, lengths: 1, prompts: 1 } },
    source: { ...SOURCE, output: { kind: 'fixed', tokens: 8 } },
    preflight: {
      talk: {
        model: 'emulated-70b',
        maxTokensField: 'max_tokens',
        tokens: 'usage',
        oneTokenPerEvent: false,
        exactOutput: true,
        local: null,
      },
      calibration: null,
    },
  });
  return {
    close: () => pool.close(),
    async send(options) {
      const { processes, onRecord, onFlight } = options;
      const load = loadOf(options);
      const budget = new Budget({ ...NO_LIMITS, ...options.limits });
      const control: StripedControl = {
        pids: pool.take(processes).map(({ pid }) => pid as number),
        stopStarts: new AbortController(),
        cancelAll: new AbortController(),
      };
      options.onTaken?.(control);
      const start = await readyStripes(load, {
        pool,
        count: processes,
        budget,
        clock,
        stopStarts: control.stopStarts.signal,
      });
      const records: RequestRecord[] = [];
      const generated = await start(clock.nowNs() + NS_PER_SECOND / 20, {
        budget,
        stopStarts: control.stopStarts.signal,
        cancelAll: control.cancelAll.signal,
        onProgress({ counts }) {
          if (counts.inFlight > 0) onFlight?.(control);
        },
        onRecord(record) {
          records.push(record);
          onRecord?.(record, control);
        },
      });
      return { ...generated, schedule: load.schedule, records, budget };
    },
  };
}

function loadOf(options: StripedLoadOptions): GeneratorLoad {
  const { shape, outputTokens = 8, sessions, retry = null } = options;
  const output = { kind: 'fixed', tokens: outputTokens } as const;
  const source: PromptSource =
    sessions === undefined ? { ...SOURCE, output } : { kind: 'sessions', ...sessions };
  return {
    schedule: planSchedule({
      source,
      shape,
      seeds: { arrivals: 1, lengths: 1, prompts: 1, text: 1 },
    }),
    requestTimeoutNs: 20 * NS_PER_SECOND,
    maxInFlight: 256,
    retry,
    latenessLimitNs: null,
    atEnd: { kind: 'drain', limitNs: 20 * NS_PER_SECOND },
    connections: 4,
    arrivalsRps: null,
    template: {
      source: 'measured',
      clock: 'client',
      experimentHash: 'e',
      runId: 'run',
      pointIndex: 0,
      labels: { model: 'emulated-70b', tenant: null, region: null },
      streamed: true,
      oneTokenPerEvent: false,
    },
  };
}
