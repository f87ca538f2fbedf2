/**
 * What do blocks, a prefix cache and priorities cost the engine, against itself without them, and
 * what do they do to its work?
 */
import { randomStream } from '../src/base/index.ts';
import {
  createEngine,
  seedCostModel,
  type EngineOptions,
  type EngineRequest,
  type EngineTotals,
} from '../src/engine/index.ts';
import { median, print, printTable, printTitle, QUICK } from './support/report.ts';

const REQUESTS = QUICK ? 300 : 6_000;
const ROUNDS = QUICK ? 1 : 7;
const RATES_RPS = [1, 7.5, 11];
const BLOCK_TOKENS = 16;
/** 40 GB per device leave a 70B model on 8 devices about as much. */
const BLOCKS = 60_000;
const SCARCE_BLOCKS = 4_000;
/** Requests whose prompts begin alike, for a prefix cache to find. */
const PROMPTS_PER_TEXT = 4;

type Arrival = readonly [atNs: number, request: EngineRequest];

/** The mission document's lengths; every fourth prompt begins a new text, which three others share. */
function workload(offeredRps: number): readonly Arrival[] {
  const random = randomStream(3, `engine bench at ${offeredRps}/s`);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const tokens = (median50: number, sigma: number, most: number): number =>
    Math.max(2, Math.min(most, Math.trunc(median50 * Math.exp(sigma * normal()))));
  let atSeconds = 0;
  return Array.from({ length: REQUESTS }, (_, at): Arrival => {
    atSeconds -= Math.log(1 - random()) / offeredRps;
    const promptTokens = tokens(2_000, 0.8, 16_000);
    const text = Math.floor(at / PROMPTS_PER_TEXT);
    const blockIds = Array.from(
      { length: Math.floor(promptTokens / BLOCK_TOKENS) },
      (_block, block) => `${text}/${block}`,
    );
    const request = {
      id: String(at),
      promptTokens,
      outputTokens: tokens(200, 0.7, 1_500),
      content: { salt: '', blockIds },
    };
    return [Math.round(atSeconds * 1e9), request];
  });
}

const LIMITS = {
  tokenBudget: 512,
  maxSequences: 256,
  maxWaiting: null,
  maxModelTokens: null,
  longPrefillTokenThreshold: null,
};
const PLAIN: EngineOptions = {
  limits: LIMITS,
  policy: 'fcfs',
  memory: null,
  costModel: seedCostModel,
  speedScale: 1,
};
const MEMORY = {
  blocks: BLOCKS,
  blockTokens: BLOCK_TOKENS,
  prefixCaching: false,
  reserveFullPrompt: true,
};

const CONFIGURATIONS: readonly (readonly [name: string, options: EngineOptions])[] = [
  ['plain', PLAIN],
  ['priority', { ...PLAIN, policy: 'priority' }],
  ['blocks', { ...PLAIN, memory: MEMORY }],
  ['blocks, scarce', { ...PLAIN, memory: { ...MEMORY, blocks: SCARCE_BLOCKS } }],
  ['prefix cache', { ...PLAIN, memory: { ...MEMORY, prefixCaching: true } }],
  [
    'prefix cache, scarce',
    { ...PLAIN, memory: { ...MEMORY, blocks: SCARCE_BLOCKS, prefixCaching: true } },
  ],
];

interface Outcome {
  readonly cpuSeconds: number;
  readonly steps: number;
  readonly totals: EngineTotals;
}

function serve(options: EngineOptions, arrivals: readonly Arrival[]): Outcome {
  const engine = createEngine(options);
  const before = process.cpuUsage();
  let [nowNs, due, steps] = [0, 0, 0];
  for (;;) {
    for (; due < arrivals.length && (arrivals[due] as Arrival)[0] <= nowNs; due += 1) {
      engine.admit((arrivals[due] as Arrival)[1]);
    }
    const plan = engine.plan();
    if (plan === null) {
      const next = arrivals[due];
      if (next === undefined) break;
      nowNs = next[0];
      continue;
    }
    nowNs += engine.stepDurationNs(plan);
    engine.commit(plan);
    steps += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuSeconds: (user + system) / 1e6, steps, totals: engine.totals() };
}

printTitle('The engine, step by step', [
  `${REQUESTS} requests of the mission document's lengths at each rate, groups of ` +
    `${PROMPTS_PER_TEXT} prompts that begin alike, ${BLOCKS} blocks of ${BLOCK_TOKENS} tokens ` +
    `(scarce: ${SCARCE_BLOCKS}). CPU time, user + system, collector included; configurations take ` +
    `turns, median of ${ROUNDS} after one round of warm-up.`,
]);
for (const offeredRps of RATES_RPS) {
  const arrivals = workload(offeredRps);
  const seconds = new Map<string, number[]>(CONFIGURATIONS.map(([name]) => [name, []]));
  const outcomes = new Map<string, Outcome>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, options] of CONFIGURATIONS) {
      const outcome = serve(options, arrivals);
      outcomes.set(name, outcome);
      if (round > 0 || QUICK) seconds.get(name)?.push(outcome.cpuSeconds);
    }
  }
  const cost = (name: string): number => median(seconds.get(name) ?? []);
  print([`${offeredRps} requests per second`]);
  printTable(
    [
      'engine',
      'requests/s of a core',
      'µs per step',
      'ratio to plain',
      'preemptions',
      'prompt found',
    ],
    CONFIGURATIONS.map(([name]) => {
      const { steps, totals } = outcomes.get(name) as Outcome;
      const found = totals.prefixHitTokens / totals.prefixQueryTokens;
      return [
        name,
        Math.round(REQUESTS / cost(name)),
        ((cost(name) / steps) * 1e6).toFixed(2),
        (cost(name) / cost('plain')).toFixed(2),
        totals.preemptions,
        totals.prefixQueryTokens === 0 ? 'no cache' : `${(100 * found).toFixed(1)} %`,
      ];
    }),
  );
}
