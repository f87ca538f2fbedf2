/** `goodput check`: a smoke test of a target before anybody loads it. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import {
  createRealClock,
  EnvironmentError,
  EXIT_CODES,
  type ExitCode,
  msFromNs,
  NS_PER_SECOND,
  printable,
} from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import { checkTarget, type TargetCheck } from '../experiment/index.ts';
import { redactUrl } from '../store/index.ts';
import { addRunFlags, formatOption, givenRunFlags, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import { readKey, readSpec } from './read-spec.ts';

/** Longest wait for each of the handful of answers, unless --timeout says otherwise. */
const ANSWER_TIMEOUT_NS = 6 * NS_PER_SECOND;

const CHECK_FLAGS: ReadonlySet<string> = new Set([
  '--api',
  '--model',
  '--no-stream',
  '--key-env',
  '--key-file',
  '--key-header',
  '--header',
  '--body',
  '--tokens-per-event',
  '--tokenizer',
  '--proxy',
  '--ca',
  '--cert',
  '--cert-key',
  '--unix-socket',
  '--transport',
  '--http2',
  '--timeout',
  '--connect-timeout',
]);

export const checkCommand: Register = (program, context, finish) => {
  const command = program
    .command('check')
    .description(
      'Sends a handful of small requests: model list, one answer, its usage and token boundaries, exact\n' +
        'lengths, prompt length, round trip. Takes under 20 s. Exits 3 when a check fails. Where the API\n' +
        'asked for is not spoken, it says which one is, if the server shows it.',
    )
    .argument('<url>', 'URL of the server');
  addRunFlags(command, CHECK_FLAGS)
    .addOption(formatOption(''))
    .action(async (url: string, _options: unknown, self: Command) => {
      finish(await check(url, self, context));
    });
};

async function check(url: string, command: Command, context: CommandContext): Promise<ExitCode> {
  const flags = givenRunFlags(command);
  const spec = readSpec(url, { ...flags, rate: '1' }, context);
  const { limits } = spec.target;
  const requestTimeoutNs =
    flags['timeout'] === undefined ? ANSWER_TIMEOUT_NS : limits.requestTimeoutNs;
  const target = { ...spec.target, limits: { ...limits, requestTimeoutNs } };
  const found = await failureAsFinding(() =>
    checkTarget(
      { target, checks: [] },
      {
        clock: createRealClock(),
        wallNowMs: () => Date.now(),
        readText: readTextFile,
        apiKey: readKey(spec, context),
        freshSeed: randomBytes(6).readUIntBE(0, 6),
      },
    ),
  );
  const { format } = command.opts<{ format: string }>();
  if (found instanceof EnvironmentError) {
    context.stdout(format === 'json' ? refusedJson(found) : `FAIL  ${targetText(spec)}\n`);
    throw found;
  }
  context.stdout(
    format === 'json' ? `${JSON.stringify(found, null, 2)}\n` : checkText(spec, found),
  );
  return found.passed ? EXIT_CODES.fine : EXIT_CODES.objectiveMissed;
}

/** A target that cannot be talked to has failed the check, and is still an environment error. */
async function failureAsFinding(
  look: () => Promise<TargetCheck>,
): Promise<TargetCheck | EnvironmentError> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
    throw error;
  }
}

function refusedJson({ code, message }: EnvironmentError): string {
  return `${JSON.stringify({ passed: false, code, message }, null, 2)}\n`;
}

function checkText(spec: RunSpec, { passed, preflight, findings }: TargetCheck): string {
  const { identity, answer, talk } = preflight;
  const offered = identity.models?.length ?? 0;
  const rows: [string, string][] = [
    [
      'model',
      `${printable(talk.model ?? '–', 60)}${offered > 1 ? ` (of ${offered} offered)` : ''}`,
    ],
    ['server', printable(identity.version ?? 'does not name its version', 60)],
    ['round trip', `${msText(identity.roundTripNs)} (fastest of 5)`],
    ...(answer === null ? [] : [answerRow(answer)]),
    ...findings.map(({ name, state, detail }): [string, string] => [
      name,
      state === 'fail' ? `FAIL: ${detail}` : detail,
    ]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const body = rows.map(([name, detail]) => `  ${name.padEnd(width)}  ${detail}\n`).join('');
  return `${passed ? 'PASS' : 'FAIL'}  ${targetText(spec)}\n${body}`;
}

function answerRow(answer: NonNullable<TargetCheck['preflight']['answer']>): [string, string] {
  const { ttftNs, outputTokens, completionNs } = answer;
  const tokens = outputTokens ?? 'unknown';
  return ['one answer', `TTFT ${msText(ttftNs)}, ${tokens} tokens in ${msText(completionNs)}`];
}

function msText(ns: number | null): string {
  return ns === null ? 'not observed' : `${Number(msFromNs(ns).toPrecision(3))} ms`;
}

function targetText({ target: { url, unixSocket } }: RunSpec): string {
  const shown = redactUrl(url);
  return unixSocket === null ? shown : `${shown} at ${printable(unixSocket)}`;
}
