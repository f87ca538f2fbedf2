/** What do local tokenizers cost: opening one, counting answers as they are read, making prompts? */
import { createTallies, openTokenizer } from '../src/tokenizers/index.ts';
import { makePrompt, PROMPT_WORDS, type PromptSource } from '../src/workload/index.ts';
import { median, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const ROUNDS = QUICK ? 3 : 301;
const NAMES = ['o200k_base', 'cl100k_base', 'r50k_base'];
/** As streamed: a token or so in an event. */
const EVENT_CHARACTERS = 5;
const ANSWER_CHARACTERS = 5_000;
const SOURCE: PromptSource = {
  kind: 'synthetic',
  input: { kind: 'fixed', tokens: 1 },
  output: { kind: 'fixed', tokens: 1 },
  prefix: { kind: 'unique' },
};

function textOf(tokens: number, seed: number): string {
  const recipe = { kind: 'synthetic', seed, tokens, sharedId: null, sharedTokens: 0 } as const;
  const calibration = { tokensPerWord: 1, overheadTokens: 0, words: PROMPT_WORDS };
  const content = makePrompt(recipe, SOURCE, calibration);
  return content.kind === 'text' ? content.text : '';
}

/** Median microseconds of one turn. */
function microseconds(turn: (round: number) => void): number {
  const spent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startMs = performance.now();
    turn(round);
    spent.push((performance.now() - startMs) * 1_000);
  }
  return median(spent);
}

async function rowOf(vocabulary: string): Promise<Row> {
  const startMs = performance.now();
  const tokenizer = await openTokenizer({ kind: 'gpt', vocabulary }, () => '');
  const openMs = performance.now() - startMs;
  const tallies = createTallies(tokenizer);
  const answer = textOf(1_000, 1).slice(0, ANSWER_CHARACTERS);
  const perThousand = 1_000 / tokenizer.count(answer);
  const whole = microseconds(() => tokenizer.count(answer));
  const streamed = microseconds(() => {
    const tally = tallies();
    for (let at = 0; at < answer.length; at += EVENT_CHARACTERS) {
      tally.add(answer.slice(at, at + EVENT_CHARACTERS));
    }
    tally.total();
  });
  return [
    vocabulary,
    openMs.toFixed(0),
    (whole * perThousand).toFixed(0),
    (streamed * perThousand).toFixed(0),
  ];
}

printTitle('Local tokenizers', [
  `English words; an answer of ${ANSWER_CHARACTERS} characters, ${EVENT_CHARACTERS} in an event. ` +
    `One thread, median of ${ROUNDS}. A vocabulary opens once a process.`,
]);
const rows: Row[] = [];
for (const vocabulary of NAMES) {
  // oxlint-disable-next-line no-await-in-loop -- each is timed
  rows.push(await rowOf(vocabulary));
}
printTable(
  ['vocabulary', 'open ms', 'count whole, µs/1k tokens', 'count streamed, µs/1k tokens'],
  rows,
);
printTable(
  ['prompt tokens', 'make µs'],
  [1_000, 10_000, 100_000].map((tokens) => [
    String(tokens),
    microseconds((round) => textOf(tokens, round)).toFixed(0),
  ]),
);
