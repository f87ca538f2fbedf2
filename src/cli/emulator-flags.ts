/** The flags that shape an emulator. */
import { createSecureContext } from 'node:tls';
import type { Command } from 'commander';
import { parseDurationNs, ProblemsError, type Problem, usageProblem } from '../base/index.ts';
import type { ConfigContext } from '../config/index.ts';
import { DEFAULT_EMULATOR_OPTIONS, type EmulatorOptions } from '../emulator/index.ts';
import type { CostModel } from '../engine/index.ts';
import { addFaultOption, readFaultOption } from './fault-option.ts';
import { OptionReader } from './option-reader.ts';
import { checkStepCostFlags, readStepCost } from './step-cost-option.ts';

const DEFAULTS = DEFAULT_EMULATOR_OPTIONS;

export function addEmulatorFlags(command: Command): Command {
  command
    .option('--host <address>', 'address to listen on', DEFAULTS.host)
    .option('--port <port>', 'port; 0 for any free one', '8000')
    .option('--tls-cert <file>', 'serve over TLS with this certificate (PEM); needs --tls-key')
    .option('--tls-key <file>', 'the key of --tls-cert (PEM)')
    .option('--model <name>', 'model name it serves', DEFAULTS.model)
    .option(
      '--step-cost <kind:file>',
      'costs of a step measured elsewhere: affine:FILE.yaml or table:FILE.csv',
    )
    .option('--speed-scale <factor>', 'factor on every step time: 0.1 is ten times as fast', '1')
    .option(
      '--token-budget <tokens>',
      'most tokens computed in a step',
      String(DEFAULTS.tokenBudget),
    )
    .option('--max-sequences <count>', 'most requests in a step', String(DEFAULTS.maxSequences))
    .option('--max-waiting <count>', 'most requests waiting; more are refused. Left out: no limit')
    .option('--policy <policy>', 'fcfs, or priority: smaller `priority` first', DEFAULTS.policy)
    .option('--long-prefill-threshold <tokens>', 'most tokens of one prompt in a step')
    .option('--kv-blocks <count>', 'blocks of memory for keys and values. Left out: no limit')
    .option('--block-size <tokens>', 'tokens in a block', String(DEFAULTS.blockTokens))
    .option('--prefix-caching', 'share and keep the blocks of equal beginnings')
    .option('--no-reserve-full-prompt', 'start prompts whose blocks are not all free yet')
    .option('--queue-timeout <duration>', 'turn away (503) who waited so long. Left out: never')
    .option(
      '--max-model-tokens <tokens>',
      'longest prompt and answer',
      String(DEFAULTS.maxModelTokens),
    )
    .option(
      '--queue-full <how>',
      'overload (503, no evidence) or quota (429, with evidence)',
      'overload',
    )
    .option(
      '--quota <rps|n/min>',
      'published limit on requests, enforced with 429: 5 (a second), or 500/min, which every\n' +
        'response tells in x-ratelimit headers',
    );
  return addFaultOption(command)
    .option('--tokens-per-event <count>', 'tokens gathered into one streamed event', '1')
    .option('--spread-events', 'let the events of a step leave one by one until the next')
    .option('--no-usage', 'tell no token counts in chat and completions, as some servers')
    .option('--no-per-event-usage', 'do not honour continuous_usage_stats')
    .option('--reasoning <tokens>', 'first tokens of every answer that are reasoning', '0')
    .option('--no-role', 'do not open a chat stream with a role-only delta')
    .option('--seed <number>', 'seed of answer lengths and words', String(DEFAULTS.seed))
    .option('--emission-log <file>', 'write the true emission time of every event as NDJSON')
    .option('--spans <file>', 'write a span of every finished request, OTLP JSON by vLLM’s names');
}

type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * Errors: ProblemsError with every option, and every line of a fault script, that cannot be read;
 * EnvironmentError when a script's file cannot be.
 */
export function readEmulatorFlags(
  command: Command,
  context: ConfigContext,
): Partial<EmulatorOptions> {
  const given = command.opts<Given>();
  const problems: Problem[] = [];
  const read = { given, problems };
  const { emissionLog: logPath, fault: faults } = given;
  const options = {
    ...schedulerOptions(read),
    host: String(given['host']),
    port: wholeNumber(read, 'port', 0, 65_535),
    tls: readTls(read, context),
    model: String(given['model']),
    costModel: costModel(given['stepCost']),
    speedScale: number(read, 'speedScale', { min: 1e-6, whole: false }),
    queueFull: choice(read, 'queueFull', ['overload', 'quota']),
    quota: quota(read),
    faults: readFaultOption(Array.isArray(faults) ? faults : [], context, problems),
    tokensPerEvent: wholeNumber(read, 'tokensPerEvent'),
    spreadEvents: given['spreadEvents'] === true,
    usage: given['usage'] === true,
    perEventUsage: given['perEventUsage'] === true,
    reasoningTokens: wholeNumber(read, 'reasoning', 0),
    includeRole: given['role'] === true,
    seed: wholeNumber(read, 'seed', 0),
    emissionLog: typeof logPath === 'string' ? { path: logPath } : ('none' as const),
    spansPath: typeof given['spans'] === 'string' ? given['spans'] : null,
  };
  if (problems.length > 0) throw new ProblemsError(problems);
  return options;
}

/** Errors: EnvironmentError when one of the files cannot be read. */
function readTls(
  { given: { tlsCert, tlsKey }, problems }: Reading,
  { readFile }: ConfigContext,
): EmulatorOptions['tls'] {
  if (typeof tlsCert === 'string' && typeof tlsKey === 'string') {
    const tls = { cert: readFile(tlsCert), key: readFile(tlsKey) };
    try {
      createSecureContext(tls);
      return tls;
    } catch {
      const message = '--tls-cert and --tls-key are not a certificate and its key in PEM';
      problems.push(usageProblem('E_USAGE_VALUE', message));
    }
  } else if (tlsCert !== undefined || tlsKey !== undefined) {
    problems.push(usageProblem('E_USAGE_MISSING', '--tls-cert and --tls-key need each other'));
  }
  return null;
}

interface Reading {
  readonly given: Given;
  /** Grows. */
  readonly problems: Problem[];
}

function schedulerOptions(read: Reading) {
  const options = {
    tokenBudget: wholeNumber(read, 'tokenBudget'),
    maxSequences: wholeNumber(read, 'maxSequences'),
    maxWaiting: optionalNumber(read, 'maxWaiting'),
    policy: choice(read, 'policy', ['fcfs', 'priority']),
    longPrefillTokenThreshold: optionalNumber(read, 'longPrefillThreshold'),
    kvBlocks: optionalNumber(read, 'kvBlocks'),
    blockTokens: wholeNumber(read, 'blockSize'),
    prefixCaching: read.given['prefixCaching'] === true,
    reserveFullPrompt: read.given['reserveFullPrompt'] === true,
    queueTimeoutNs: optionalDuration(read, 'queueTimeout'),
    maxModelTokens: wholeNumber(read, 'maxModelTokens', 2),
  };
  const { kvBlocks, blockTokens, maxModelTokens } = options;
  if (kvBlocks === null && options.prefixCaching) {
    read.problems.push(usageProblem('E_USAGE_VALUE', '--prefix-caching needs --kv-blocks'));
  }
  if (kvBlocks !== null && kvBlocks * blockTokens < maxModelTokens) {
    read.problems.push(
      usageProblem(
        'E_USAGE_VALUE',
        `--kv-blocks ${kvBlocks} hold ${kvBlocks * blockTokens} tokens, fewer than the longest ` +
          `prompt and answer: --max-model-tokens ${maxModelTokens}`,
      ),
    );
  }
  return options;
}

function quota(read: Reading): EmulatorOptions['quota'] {
  const { given, problems } = read;
  if (given['quota'] === undefined) return null;
  const [, count = '', minute] = /^(.*?)(\/min)?$/.exec(String(given['quota'])) ?? [];
  const requests = number({ given: { quota: count }, problems }, 'quota', {
    min: 1e-6,
    whole: false,
  });
  return { requests, per: minute === undefined ? 'second' : 'minute' };
}

/** Errors: ProblemsError for another kind of cost, and for a file that cannot be read or is none. */
function costModel(stepCost: Given[string]): CostModel {
  if (typeof stepCost !== 'string') return DEFAULTS.costModel;
  const reader = new OptionReader();
  checkStepCostFlags({ stepCost }, reader);
  reader.finish();
  return readStepCost({ stepCost }, 1).model;
}

interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly whole: boolean;
}

function number({ given, problems }: Reading, name: string, range: NumberRange): number {
  const text = String(given[name]);
  const value = Number(text);
  const fits = range.whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (text.trim() === '' || !fits || value < range.min || value > (range.max ?? Infinity)) {
    const kind = range.whole ? 'a whole number' : 'a number';
    const what =
      range.max === undefined
        ? `${kind} of at least ${range.min}`
        : `${kind} from ${range.min} to ${range.max}`;
    problems.push(usageProblem('E_USAGE_VALUE', `--${kebab(name)} ${text} is not ${what}`));
  }
  return value;
}

function wholeNumber(read: Reading, name: string, min = 1, max = Infinity): number {
  return number(read, name, max === Infinity ? { min, whole: true } : { min, max, whole: true });
}

/** At least 1; null when the flag is left out. */
function optionalNumber(read: Reading, name: string): number | null {
  return read.given[name] === undefined ? null : wholeNumber(read, name);
}

function optionalDuration({ given, problems }: Reading, name: string): number | null {
  const text = given[name];
  if (typeof text !== 'string') return null;
  const ns = parseDurationNs(text);
  if (ns === null || ns === 0) {
    const message = `--${kebab(name)} ${text} is not a duration like 500ms or 10s`;
    problems.push(usageProblem('E_USAGE_VALUE', message));
  }
  return ns;
}

function choice<Word extends string>(
  { given, problems }: Reading,
  name: string,
  words: readonly [Word, Word],
): Word {
  const found = words.find((word) => word === given[name]);
  if (found === undefined) {
    const message = `--${kebab(name)} is either ${words[0]} or ${words[1]}`;
    problems.push(usageProblem('E_USAGE_VALUE', message));
  }
  return found ?? words[0];
}

function kebab(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
