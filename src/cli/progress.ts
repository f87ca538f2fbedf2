/**
 * Progress on stderr: a block redrawn in place on a terminal, a plain line now and then elsewhere,
 * a JSON object a line for machines, or nothing.
 */
import { Option } from 'commander';
import { assertNever, durationText, NS_PER_SECOND, printable } from '../base/index.ts';
import type { ExperimentEvent, Preflight } from '../experiment/index.ts';
import {
  liveLines,
  livePlainLine,
  pointEndedLine,
  PROGRESS_SCHEMA_VERSION,
  type ProgressEvent,
  progressEventLine,
  standingEvent,
} from '../report/index.ts';
import type { CommandContext } from './context.ts';
import { RunFollower } from './live-status.ts';

export type ProgressMode = 'auto' | 'lines' | 'json';

export interface ProgressOptions {
  readonly quiet: boolean;
  /** Left out: `auto`. */
  readonly progress?: ProgressMode;
  /** Whether the plan is told; left out: it is. It is always taken into account. */
  readonly tellsPlan?: boolean;
}

export interface ProgressLine {
  readonly notify: (event: ExperimentEvent) => void;
  /** Says something between the events. */
  readonly say: (text: string) => void;
  /** Takes away what is drawn in place, so that what follows starts on a clean line. */
  readonly end: () => void;
}

const PLAIN_INTERVAL_NS = 10 * NS_PER_SECOND;
const JSON_INTERVAL_NS = NS_PER_SECOND;

/** `--progress`, of commands that drive a load. */
export function progressOption(): Option {
  return new Option(
    '--progress <how>',
    'on stderr: auto (a live view on a terminal, else lines), lines, json (an event a line)',
  )
    .choices(['auto', 'lines', 'json'])
    .default('auto')
    .conflicts('quiet');
}

export function progressLine(context: CommandContext, options: ProgressOptions): ProgressLine {
  if (options.quiet) return { ...textProgress(context, () => {}, options), notify: () => {} };
  if (options.progress === 'json') return jsonProgress(context);
  const { status: block } = context;
  if (options.progress === 'lines' || block === null) return plainProgress(context, options);
  return textProgress(
    context,
    (follower) => {
      // One column stays free: a full last column makes some terminals break the line.
      const page = { width: Math.max(20, block.columns() - 1), color: block.color };
      if (follower.status !== null) block.draw(liveLines(follower.status, page));
    },
    options,
  );
}

function plainProgress(context: CommandContext, options: ProgressOptions): ProgressLine {
  const isDue = everyNs(PLAIN_INTERVAL_NS);
  const show = ({ status }: RunFollower, atNs: number): void => {
    if (status !== null && isDue(atNs)) context.stderr(`${livePlainLine(status)}\n`);
  };
  return textProgress(context, show, options);
}

/** Lines for what happens once; `show` for where the point stands. */
function textProgress(
  context: CommandContext,
  show: (follower: RunFollower, atNs: number) => void,
  { tellsPlan = true }: ProgressOptions,
): ProgressLine {
  const follower = new RunFollower();
  const say = (text: string): void => context.stderr(`${text}\n`);
  const end = (): void => context.status?.clear();
  const notify = (event: ExperimentEvent): void => {
    follower.take(event);
    switch (event.kind) {
      case 'note':
        return say(`note: ${event.text}`);
      case 'planned':
        return tellsPlan ? say(planText(event.plan)) : undefined;
      case 'ready':
        return say(readyText(event.preflight));
      case 'pointStarted':
      case 'summarising':
        return end();
      case 'progress':
        return show(follower, event.progress.atNs);
      case 'pointEnded':
        // Of a run of one point the report says more; a search has its own words for a window.
        if ((follower.status?.pointCount ?? 1) > 1) say(pointEndedLine(follower.status!));
        return end();
      default:
        return assertNever(event);
    }
  };
  return { notify, say, end };
}

function jsonProgress(context: CommandContext): ProgressLine {
  const follower = new RunFollower();
  const isDue = everyNs(JSON_INTERVAL_NS);
  const write = (event: ProgressEvent | null): void => {
    if (event !== null) context.stderr(progressEventLine(event));
  };
  return {
    say: (text) => write({ event: 'note', text }),
    end: () => {},
    notify(event) {
      follower.take(event);
      if (event.kind !== 'progress' || isDue(event.progress.atNs))
        write(jsonEvent(event, follower));
    },
  };
}

function jsonEvent(
  event: ExperimentEvent,
  { status, pointNumber }: RunFollower,
): ProgressEvent | null {
  switch (event.kind) {
    case 'note':
      return { event: 'note', text: event.text };
    case 'planned': {
      const { estimate, points } = event.plan;
      return {
        event: 'planned',
        schemaVersion: PROGRESS_SCHEMA_VERSION,
        requests: estimate.requests,
        durationSeconds: estimate.durationNs / NS_PER_SECOND,
        costUsd: estimate.costUsd,
        points: points.map(({ load: { label, level } }) => ({ label, level })),
      };
    }
    case 'ready': {
      const { model, tokens } = event.preflight.talk;
      return { event: 'ready', model, tokens };
    }
    case 'pointStarted': {
      const { load, requests } = event;
      return { event: 'pointStarted', point: pointNumber, label: load.label, requests };
    }
    case 'progress':
    case 'pointEnded':
      return status === null ? null : standingEvent(event.kind, status);
    case 'summarising':
      return { event: 'summarising' };
    default:
      return assertNever(event);
  }
}

/** True at the first instant it is asked of, and then once an interval. */
function everyNs(intervalNs: number): (atNs: number) => boolean {
  let nextNs = Number.NEGATIVE_INFINITY;
  return (atNs) => {
    if (atNs < nextNs) return false;
    nextNs = atNs + intervalNs;
    return true;
  };
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

function readyText({ talk, answer, failure, calibration, fit }: Preflight): string {
  if (answer === null) return `target: the one answer before the load failed: ${failure}; going on`;
  const server = {
    perEventUsage: 'tokens counted per event',
    usage: 'tokens counted by the final usage',
    none: 'the server reports no usage: output tokens stay unknown',
  }[talk.tokens];
  const { local } = talk;
  const counting = local?.judged === true ? `tokens counted by ${local.tokenizer}` : server;
  const words =
    fit?.prompts === 'exact'
      ? `, prompts of exact length by ${fit.tokenizer}`
      : calibration === null
        ? ''
        : `, ${calibration.tokensPerWord.toFixed(2)} prompt tokens per word`;
  const cached = (answer.cachedPromptTokens ?? 0) > 0 ? ', prefix cache hit in the preflight' : '';
  return `target: ${printable(talk.model ?? 'model of the bodies', 60)}, ${counting}${words}${cached}`;
}
