/** `goodput objectives suggest`: limits that a service achieved with headroom. */
import { EXIT_CODES, parseShare, percentText, ProblemsError, usageProblem } from '../base/index.ts';
import { correctnessOf } from '../config/index.ts';
import { LogicalJoin, measureRecord } from '../record/index.ts';
import {
  type MeasuredRecord,
  objectiveText,
  suggestObjective,
  type Suggestion,
} from '../slo/index.ts';
import { openRun } from '../store/index.ts';
import { formatOption, type Register } from './command.ts';
import { specOfRun } from './stored-run.ts';

interface SuggestOptions {
  readonly attainment: string;
  readonly headroom: string;
  readonly point?: string;
  readonly format: string;
}

export const objectivesCommand: Register = (program, context, finish) => {
  const objectives = program.command('objectives').description('Objectives from measurements.');
  objectives
    .command('suggest')
    .summary('limits that a stored run achieved, with headroom')
    .description(
      'Proposes TTFT (by prompt length), TPOT and gap limits that hold together: the share of requests\n' +
        'that met all of them reached the target at this load. Set the final limits where what users\n' +
        'need meets what the service delivers.',
    )
    .argument('<run>', 'run folder, made at the load you expect')
    .option('--attainment <share>', 'share of requests that must meet all limits', '95%')
    .option('--headroom <share>', 'how far limits stand above what was achieved', '20%')
    .option('--point <index>', 'load point of a sweep, from 0; left out: the lowest load')
    .addOption(formatOption(''))
    .action(async (dir: string, options: SuggestOptions) => {
      const attainmentShare = shareOption('--attainment', options.attainment, { below1: true });
      const headroomShare = shareOption('--headroom', options.headroom, { below1: false });
      const run = await openRun(dir);
      const spec = specOfRun(run, context);
      const base = spec.objective ?? correctnessOf(spec);
      const samples: MeasuredRecord[] = [];
      // Of requests as their users saw them, where some were tried again.
      const join = new LogicalJoin((record) => {
        const measures = measureRecord(record, { counts: base.request.counts });
        samples.push({ record, measures });
      });
      const point = pointOption(options.point, run.pointIndexes);
      for await (const record of run.records(point)) join.add(record);
      join.finish();
      const suggestion = suggestObjective(samples, { base, attainmentShare, headroomShare });
      context.stdout(
        options.format === 'json'
          ? `${JSON.stringify(suggestion, null, 2)}\n`
          : suggestionText(suggestion, samples.length),
      );
      finish(EXIT_CODES.fine);
    });
};

function suggestionText(suggestion: Suggestion, requests: number): string {
  const { objective, achievedShare, leftOut } = suggestion;
  const share = achievedShare === null ? '–' : percentText(achievedShare);
  if (objective === null) {
    return `no objective: only ${share} of ${requests} requests were correct, below the target\n`;
  }
  const left = leftOut.length === 0 ? '' : `left out, too few values: ${leftOut.join(', ')}\n`;
  return (
    `${objectiveText(objective)}\n` +
    `${share} of ${requests} requests of this run meet it, at this load and this mix only\n${left}`
  );
}

function shareOption(flag: string, text: string, range: { readonly below1: boolean }): number {
  const share = parseShare(text);
  if (share !== null && share >= 0 && (!range.below1 || (share > 0 && share < 1))) return share;
  throw new ProblemsError([
    usageProblem('E_USAGE_VALUE', `${flag} ${text} is not a share in range`, 'write 95% or 0.95'),
  ]);
}

function pointOption(text: string | undefined, known: readonly number[]): number {
  const point = text === undefined ? known[0] : Number(text);
  if (point !== undefined && known.includes(point)) return point;
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_VALUE',
      text === undefined ? 'the run has no records' : `the run has no load point ${text}`,
      known.length === 0 ? null : `it has ${known.join(', ')}`,
    ),
  ]);
}
