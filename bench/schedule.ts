/** How long does planning take, and can prompts be made as fast as they are sent? */
import { NS_PER_SECOND } from '../src/base/index.ts';
import {
  makePrompt,
  planSchedule,
  type PromptSource,
  type Schedule,
  UNCALIBRATED,
} from '../src/workload/index.ts';
import { median, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const REQUESTS = QUICK ? 1_000 : 100_000;
const ROUNDS = QUICK ? 1 : 5;
const PROMPT_TOKENS = 1_024;
const PROMPT_SECONDS = QUICK ? 0.05 : 2;
const SEEDS = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };
const BLOCK_TOKENS = 512;

const input = { kind: 'fixed', tokens: PROMPT_TOKENS } as const;
const output = { kind: 'lognormal', median: 200, sigma: 0.7, min: 1, max: 4_096 } as const;

const SOURCES: readonly (readonly [string, PromptSource])[] = [
  ['synthetic, unique', { kind: 'synthetic', input, output, prefix: { kind: 'unique' } }],
  [
    'synthetic, half shared',
    {
      kind: 'synthetic',
      input,
      output,
      prefix: { kind: 'shared', tokens: PROMPT_TOKENS / 2, groups: 8 },
    },
  ],
  [
    'trace blocks',
    {
      kind: 'trace',
      path: 'made.jsonl',
      rows: Array.from({ length: REQUESTS }, (_, row) => ({
        atNs: row * 1_000_000,
        promptTokens: PROMPT_TOKENS,
        outputTokens: 200,
        blockIds: [row % 100, row],
        blockTokens: BLOCK_TOKENS,
        session: null,
      })),
    },
  ],
];

function plan(source: PromptSource): Schedule {
  return planSchedule({
    source,
    shape: {
      kind: 'rate',
      rateRps: 1_000,
      arrivals: { kind: 'poisson' },
      durationNs: (REQUESTS / 1_000) * NS_PER_SECOND,
      maxRequests: null,
    },
    seeds: SEEDS,
  });
}

function secondsOf(work: () => void): number {
  const startMs = performance.now();
  work();
  return (performance.now() - startMs) / 1e3;
}

function promptsPerSecond(source: PromptSource, { requests }: Schedule): number {
  let made = 0;
  let characters = 0;
  const startMs = performance.now();
  while (performance.now() - startMs < PROMPT_SECONDS * 1e3) {
    const { prompt } = requests[made % requests.length] as Schedule['requests'][number];
    const content = makePrompt(prompt, source, UNCALIBRATED);
    if (content.kind === 'text') characters += content.text.length;
    made += 1;
  }
  if (characters === 0) throw new Error('no prompt was made');
  return (1e3 * made) / (performance.now() - startMs);
}

function rowOf(name: string, source: PromptSource): Row {
  let schedule = plan(source);
  const seconds = Array.from({ length: ROUNDS }, () =>
    secondsOf(() => {
      schedule = plan(source);
    }),
  );
  const perSecond = promptsPerSecond(source, schedule);
  return [
    name,
    schedule.requests.length,
    (1e3 * median(seconds)).toFixed(0),
    ((1e6 * median(seconds)) / schedule.requests.length).toFixed(1),
    perSecond.toFixed(0),
    (1e6 / perSecond).toFixed(0),
  ];
}

printTitle('Schedules and prompts', [
  `Poisson arrivals at 1000/s, lognormal output lengths, prompts of ${PROMPT_TOKENS} tokens. ` +
    `Planning (hash included): wall time of one thread, median of ${ROUNDS} after one to warm up. ` +
    `Prompts: as many as could be made in ${PROMPT_SECONDS} s, one thread.`,
]);
printTable(
  ['source', 'requests', 'plan ms', 'plan µs/request', 'prompts/s', 'µs/prompt'],
  SOURCES.map(([name, source]) => rowOf(name, source)),
);
