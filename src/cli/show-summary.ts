/** A summary in the format the user asked for, on stdout. */
import type { Manifest } from '../record/index.ts';
import { markdownReport, terminalReport } from '../report/index.ts';
import type { Summary } from '../summary/index.ts';
import type { ServerPoint } from '../telemetry/index.ts';
import type { ShowOptions } from './command.ts';
import type { CommandContext } from './context.ts';

export function showSummary(
  context: CommandContext,
  result: {
    readonly summary: Summary;
    readonly manifest: Manifest;
    /** What the servers said of each load point; left out: nothing. */
    readonly servers?: readonly ServerPoint[];
  },
  options: ShowOptions & { readonly files: readonly string[] },
): void {
  const { summary, manifest, servers = [] } = result;
  switch (options.format) {
    case 'json':
      return context.stdout(`${JSON.stringify(summary, null, 2)}\n`);
    case 'md':
      return context.stdout(markdownReport(summary, manifest, servers));
    case 'text':
      return context.stdout(
        terminalReport(summary, {
          width: context.columns,
          color: context.color,
          explain: options.explain,
          files: options.files,
          servers,
        }),
      );
  }
}
