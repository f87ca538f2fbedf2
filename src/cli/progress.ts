/** Progress on stderr: one line rewritten on a terminal, a plain line now and then elsewhere. */
import { assertNever, durationText, NS_PER_SECOND, printable } from '../base/index.ts';
import type { ExperimentEvent, Preflight } from '../experiment/index.ts';
import type { CommandContext } from './context.ts';

const PLAIN_INTERVAL_NS = 10 * NS_PER_SECOND;

export interface ProgressLine {
  readonly notify: (event: ExperimentEvent) => void;
  /** Clears the rewritten line, so that what follows starts on a clean one. */
  readonly end: () => void;
}

export function progressLine(
  context: CommandContext,
  options: { readonly quiet: boolean },
): ProgressLine {
  let open = false;
  let lastPlainNs = Number.NEGATIVE_INFINITY;
  const end = (): void => {
    if (open) context.stderr('\r\u001b[K');
    open = false;
  };
  const line = (text: string): void => {
    end();
    context.stderr(`${text}\n`);
  };
  const rewrite = (text: string, atNs: number): void => {
    if (context.stderrIsTerminal) {
      context.stderr(`\r\u001b[K${text.slice(0, context.columns - 1)}`);
      open = true;
    } else if (atNs - lastPlainNs >= PLAIN_INTERVAL_NS) {
      lastPlainNs = atNs;
      context.stderr(`${text}\n`);
    }
  };
  const notify = (event: ExperimentEvent): void => {
    switch (event.kind) {
      case 'note':
        return line(`note: ${event.text}`);
      case 'planned':
        return line(planText(event.plan));
      case 'ready':
        return line(readyText(event.preflight));
      case 'pointStarted':
        lastPlainNs = Number.NEGATIVE_INFINITY;
        return end();
      case 'progress': {
        const { load, progress } = event;
        const { counts } = progress;
        const dropped = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
        const drops = dropped > 0 ? `, ${dropped} dropped` : '';
        const text = `${load.label}: ${counts.ended} done, ${counts.inFlight} in flight${drops}`;
        return rewrite(text, progress.atNs);
      }
      case 'summarising':
        return end();
      default:
        return assertNever(event);
    }
  };
  return options.quiet ? { notify: () => {}, end: () => {} } : { notify, end };
}

function planText(plan: Extract<ExperimentEvent, { kind: 'planned' }>['plan']): string {
  const { estimate, points } = plan;
  const closed = points.some(({ load }) => load.closedLoop);
  const requests = closed ? `up to ${estimate.requests}` : String(estimate.requests);
  const cost = estimate.costUsd === null ? '' : `, at most $${estimate.costUsd.toFixed(2)}`;
  const pointText = points.length === 1 ? '' : ` over ${points.length} load points`;
  return `plan: ${requests} requests${pointText}, ${roundedDuration(estimate.durationNs)}${cost}`;
}

function roundedDuration(ns: number): string {
  return durationText(Math.max(1, Math.round(ns / NS_PER_SECOND)) * NS_PER_SECOND);
}

function readyText({ talk, answer, failure, calibration }: Preflight): string {
  if (answer === null) return `target: the one answer before the load failed: ${failure}; going on`;
  const counting = {
    perEventUsage: 'tokens counted per event',
    usage: 'tokens counted by the final usage',
    none: 'the server reports no usage: output tokens stay unknown',
  }[talk.tokens];
  const words =
    calibration === null ? '' : `, ${calibration.tokensPerWord.toFixed(2)} prompt tokens per word`;
  const cached = (answer.cachedPromptTokens ?? 0) > 0 ? ', prefix cache hit in the preflight' : '';
  return `target: ${printable(talk.model ?? 'model of the bodies', 60)}, ${counting}${words}${cached}`;
}
