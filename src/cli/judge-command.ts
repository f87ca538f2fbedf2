/** `goodput judge`: a stored run against another objective, without traffic. */
import { runExitCode } from '../experiment/index.ts';
import { addProofOption, addShowOptions, type Register, type ShowOptions } from './command.ts';
import { readSlo } from './read-spec.ts';
import { judgeStoredRun } from './stored-run.ts';
import { showSummary } from './show-summary.ts';

interface JudgeOptions extends ShowOptions {
  readonly slo?: string;
  readonly requireProof: boolean;
}

export const judgeCommand: Register = (program, context, finish) => {
  const command = program
    .command('judge')
    .description(
      'Judges every record of a stored run against an objective. The run itself is not changed.\n' +
        'Exits 3 when the objective is missed at any load point, 4 when the run is invalid.',
    )
    .argument('<run>', 'run folder')
    .option(
      '--slo <expression|preset|@file>',
      'the objective; left out: the one the run was made with',
    );
  addProofOption(addShowOptions(command)).action(async (dir: string, options: JudgeOptions) => {
    const { slo } = options;
    const { run, summary } = await judgeStoredRun(
      dir,
      (spec) => (slo === undefined ? spec.objective : readSlo(slo, spec, context)),
      context,
    );
    showSummary(context, { summary, manifest: run.manifest }, { ...options, files: [dir] });
    finish(
      runExitCode({
        summary,
        interrupted: false,
        sweep: false,
        requireProof: options.requireProof,
      }),
    );
  });
};
