/** `goodput report`: a stored run rendered again. */
import { EXIT_CODES } from '../base/index.ts';
import { storedCapacity } from '../experiment/index.ts';
import { terminalCapacity } from '../report/index.ts';
import { addShowOptions, type Register, type ShowOptions } from './command.ts';
import { showSummary } from './show-summary.ts';
import { judgeStoredRun } from './stored-run.ts';

export const reportCommand: Register = (program, context, finish) => {
  const command = program
    .command('report')
    .description(
      'Makes the summary of a stored run again from its records, with the objective it was made\n' +
        'with, and shows it. Works on runs that were interrupted or crashed. Of a capacity search it shows\n' +
        'what the search concluded; json and md show its windows as a run.',
    )
    .argument('<run>', 'run folder');
  addShowOptions(command).action(async (dir: string, options: ShowOptions) => {
    const { run, summary } = await judgeStoredRun(dir, (spec) => spec.objective, context);
    const capacity = options.format === 'text' ? await storedCapacity(run) : null;
    if (capacity !== null) {
      const { columns: width, color } = context;
      const page = { width, color, explain: options.explain, files: [dir] };
      context.stdout(terminalCapacity(capacity, page));
      return finish(EXIT_CODES.fine);
    }
    showSummary(context, { summary, manifest: run.manifest }, { ...options, files: [dir] });
    finish(EXIT_CODES.fine);
  });
};
