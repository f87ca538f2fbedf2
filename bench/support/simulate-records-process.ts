/** Simulates one run into a folder of its own and tells what that cost this process. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runSpecFromFlags } from '../../src/config/index.ts';
import { seedCostModel } from '../../src/engine/index.ts';
import { SIMULATED_URL, simulateRun, type SimulatedTarget } from '../../src/experiment/index.ts';
import { answerParent } from './worker-process.ts';

export interface RecordsQuestion {
  readonly requests: number;
  /** Whether to force collections and look at what lives; that takes time of its own. */
  readonly collect: boolean;
}

export interface RecordsAnswer {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** 0 unless asked. */
  readonly liveBytes: number;
  readonly maxRssBytes: number;
  readonly recordBytes: number;
}

const RATE_RPS = 8;
const LOOKS_MS = 2_000;

const TARGET: SimulatedTarget = {
  service: {
    engine: {
      limits: {
        tokenBudget: 512,
        maxSequences: 256,
        maxWaiting: null,
        maxModelTokens: null,
        longPrefillTokenThreshold: null,
      },
      policy: 'fcfs',
      memory: null,
      costModel: seedCostModel,
      speedScale: 1,
    },
    replicas: 1,
    router: 'roundRobin',
    method: 'skip',
    disaggregation: null,
    autoscaling: null,
    queueTimeoutNs: null,
  },
  description: {},
};

answerParent(async ({ requests, collect }: RecordsQuestion): Promise<RecordsAnswer> => {
  const parent = await mkdtemp(join(tmpdir(), 'goodput-bench-'));
  const dir = join(parent, 'run');
  try {
    let liveBytes = 0;
    const look = collect ? liveMeter((bytes) => (liveBytes = Math.max(liveBytes, bytes))) : null;
    const before = process.cpuUsage();
    const startedMs = performance.now();
    await simulate(dir, requests);
    const wallSeconds = (performance.now() - startedMs) / 1e3;
    const { user, system } = process.cpuUsage(before);
    if (look !== null) clearInterval(look);
    return {
      wallSeconds,
      cpuSeconds: (user + system) / 1e6,
      liveBytes,
      maxRssBytes: process.resourceUsage().maxRSS * 1_024,
      recordBytes: (await stat(join(dir, 'records-0.ndjson'))).size,
    };
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});

async function simulate(dir: string, requests: number): Promise<void> {
  const parsed = runSpecFromFlags(
    {
      url: SIMULATED_URL,
      rate: String(RATE_RPS),
      duration: `${Math.ceil(requests / RATE_RPS) * 2}s`,
      requests: String(requests),
      input: 'lognormal:800,0.6,max=4000',
      output: '100',
      exact: true,
      slo: ['ttft<=1s,tpot<=40ms,attainment>=95%'],
    },
    { env: {}, readFile: () => '' },
  );
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  await simulateRun(parsed.spec, TARGET, {
    readText: () => '',
    toolVersion: 'bench',
    dir,
    force: true,
    startedAt: '2026-01-01T00:00:00.000Z',
    stopStarts: new AbortController().signal,
    cancelAll: new AbortController().signal,
    notify: () => {},
  });
}

/** Now and then, how much is left after a full collection. */
function liveMeter(tell: (bytes: number) => void): NodeJS.Timeout {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return setInterval(() => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    tell(heapUsed + arrayBuffers);
  }, LOOKS_MS);
}
