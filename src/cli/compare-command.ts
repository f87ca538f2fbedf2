/** `goodput compare`: is B worse than A, and by how much? */
import type { Command } from 'commander';
import { EXIT_CODES, type ExitCode, usageProblem } from '../base/index.ts';
import type { Comparison, MinimumEffects } from '../comparison/index.ts';
import { comparisonExitCode } from '../experiment/index.ts';
import { junitComparison, markdownComparison, terminalComparison } from '../report/index.ts';
import { writeTextFile } from './files.ts';
import type { Register } from './command.ts';
import { compareLive } from './compare-live.ts';
import {
  addCompareOptions,
  compareMode,
  type CompareOptions,
  readEffects,
  refuseMisplaced,
} from './compare-options.ts';
import { readComparePlan } from './compare-plan.ts';
import { compareBaseline, compareStored } from './compare-stored-runs.ts';
import type { CommandContext } from './context.ts';
import { catchInterrupts } from './interrupts.ts';
import { OptionReader } from './option-reader.ts';

export const compareCommand: Register = (program, context, finish) => {
  const command = program
    .command('compare')
    .description(
      'Says whether side B is worse than side A, with an interval for every metric. Measures both in\n' +
        'turn (two addresses, one that is restarted, or simulated), or compares two stored runs, or\n' +
        'one run with the last good ones. Exits 3 on a regression, 4 when the sides cannot be compared.',
    )
    .argument('[what...]', 'two run folders; one, with --baseline; else a run file or a URL');
  addCompareOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (what: readonly string[], _options: unknown, self: Command) => {
      finish(await compare(what, self, context));
    });
};

const EXAMPLES = `
Examples:
  goodput compare --a http://old:8000 --b http://new:8000 --rate 4 --duration 60s --slo chat --out ab
  goodput compare --a-a http://old:8000 --rate 4 --duration 60s --slo chat --out ab
  goodput compare spec.yaml --switch-to-a './serve.sh v1' --switch-to-b './serve.sh v2' --pairs 16
  goodput compare --step-factors 1,1.03 --rate 4 --duration 60s --exact --slo chat
  goodput compare runs/before runs/after --markdown pr.md
  goodput compare --baseline nightly --last 14 nightly/tonight --junit tonight.xml`;

interface Compared {
  /** `null` when there is nothing to show. */
  readonly comparison: Comparison | null;
  readonly interrupted: boolean;
  readonly files: readonly string[];
}

async function compare(
  what: readonly string[],
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<CompareOptions>();
  const mode = compareMode(what, options);
  const reader = new OptionReader();
  refuseMisplaced(command, mode, reader);
  const expected = mode === 'stored' ? [2] : mode === 'baseline' ? [1] : [0, 1];
  if (!expected.includes(what.length)) {
    const message = `${what.length} arguments, and this comparison takes ${expected.join(' or ')}`;
    reader.add(usageProblem('E_USAGE_VALUE', message));
  }
  const effects = readEffects(options, reader);
  reader.finish();
  const compared = await measured(what, mode, command, effects, context);
  const { comparison, interrupted } = compared;
  if (comparison === null) {
    context.stderr('interrupted before a pair was whole: there is nothing to compare\n');
    return EXIT_CODES.interrupted;
  }
  const files = [...compared.files, ...(await writeOutputs(comparison, options))];
  show(comparison, options, files, context);
  return comparisonExitCode({ comparison, interrupted, requireProof: options.requireProof });
}

async function measured(
  what: readonly string[],
  mode: ReturnType<typeof compareMode>,
  command: Command,
  effects: MinimumEffects,
  context: CommandContext,
): Promise<Compared> {
  const options = command.opts<CompareOptions>();
  const whole = (comparison: Comparison): Compared => ({
    comparison,
    interrupted: false,
    files: [],
  });
  const [first = '', second = ''] = what;
  if (mode === 'stored')
    return whole(await compareStored([first, second], options, effects, context));
  if (mode === 'baseline') {
    const baseline = options.baseline ?? '';
    return whole(await compareBaseline(first, { ...options, baseline }, effects, context));
  }
  const plan = readComparePlan(mode, what[0], command, context);
  const interrupts = catchInterrupts(context);
  const { quiet, force } = options;
  try {
    return await compareLive(plan, effects, { quiet, force, interrupts }, context);
  } finally {
    interrupts.release();
  }
}

/** The files that were asked for, replaced if they exist: they are results of this one command. */
async function writeOutputs(
  comparison: Comparison,
  { markdown, junit, json }: CompareOptions,
): Promise<string[]> {
  const outputs = [
    [markdown, () => markdownComparison(comparison)],
    [junit, () => junitComparison(comparison)],
    [json, () => jsonText(comparison)],
  ] as const;
  const written: string[] = [];
  for (const [path, text] of outputs) {
    if (path === undefined) continue;
    writeTextFile(path, text());
    written.push(path);
  }
  return written;
}

function show(
  comparison: Comparison,
  options: CompareOptions,
  files: readonly string[],
  context: CommandContext,
): void {
  const { columns: width, color } = context;
  switch (options.format) {
    case 'json':
      return context.stdout(jsonText(comparison));
    case 'md':
      return context.stdout(markdownComparison(comparison));
    case 'text': {
      const { explain } = options;
      return context.stdout(terminalComparison(comparison, { width, color, explain, files }));
    }
  }
}

function jsonText(comparison: Comparison): string {
  return `${JSON.stringify(comparison, null, 2)}\n`;
}
