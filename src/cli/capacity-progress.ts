/** What a capacity search says before it starts and while it goes on, on stderr. */
import { percentText } from '../base/index.ts';
import type { CapacityEvent } from '../experiment/index.ts';
import { EFFORTS, estimateCapacity } from '../planner/index.ts';
import { costText, secondsText } from '../report/index.ts';
import type { CommandContext } from './context.ts';
import { progressLine, type ProgressOptions } from './progress.ts';

export interface CapacityProgress {
  readonly notify: (event: CapacityEvent) => void;
  readonly say: (text: string) => void;
  readonly end: () => void;
}

export function capacityProgress(
  context: CommandContext,
  options: ProgressOptions,
): CapacityProgress {
  const line = progressLine(context, options);
  if (options.quiet) return { ...line, notify: () => {} };
  const { say, end } = line;
  return {
    say,
    end,
    notify(event) {
      if (event.kind === 'searchPlanned') say(plannedText(event));
      else if (event.kind === 'windowEnded') say(windowText(event));
      else line.notify(event);
    },
  };
}

function plannedText(event: Extract<CapacityEvent, { kind: 'searchPlanned' }>): string {
  const { search, planned, windowsBefore } = event;
  const { expectedHalfWidthShare } = EFFORTS[search.effort];
  const { plan, effort, pricePerHourUsd } = search;
  const isTiers = plan.budgetSeconds === EFFORTS[effort].budgetSeconds;
  const precision =
    plan.kind === 'closed'
      ? 'to the nearest level'
      : expectedHalfWidthShare === null || !isTiers
        ? 'expect a first idea, often without an interval'
        : `expect about ±${(100 * expectedHalfWidthShare).toFixed(0)} % (on a service of 7 requests/s with answers of 3 s)`;
  const load = plan.kind === 'open' ? `${plan.startRps}/s` : `${plan.startStreams} in flight`;
  const money = planned.costUsd === null && pricePerHourUsd === null ? '; no price is known' : '';
  return [
    `effort ${effort}: windows of ${secondsText(plan.windowSeconds)}, each after ${secondsText(search.warmupSeconds)} of warm-up, at most ${secondsText(planned.seconds)} in all; ${precision}`,
    `at the first load of ${load} that is ${costText(planned)}${money}; in proportion at the loads to come`,
    ...(windowsBefore === 0 ? [] : [`going on after ${windowsBefore} stored windows`]),
  ].join('\n');
}

/** One line a window: what it showed and where the search is. */
function windowText({ plan, windows }: Extract<CapacityEvent, { kind: 'windowEnded' }>): string {
  const window = windows.at(-1);
  if (window === undefined) return '';
  const { level, good, offered, measuredSeconds, ending, why } = window;
  const load = plan.kind === 'open' ? `${level}/s` : `${level} in flight`;
  const share = offered === 0 ? 'no requests' : `${percentText(good / offered)} good`;
  const ended = ending === 'full' ? '' : ` (${why ?? ending})`;
  const known = plan.kind === 'open' ? knownText(estimateCapacity(plan, windows)) : '';
  return `window ${windows.length}: ${load} for ${secondsText(measuredSeconds)}, ${share}${ended}${known}`;
}

function knownText(estimate: ReturnType<typeof estimateCapacity>): string {
  const { rps, interval, bracket } = estimate;
  if (rps === null) {
    const { metRps, missedRps } = bracket;
    return metRps === null || missedRps === null ? '' : ` → between ${metRps} and ${missedRps}/s`;
  }
  const range =
    interval === null ? '' : `, ${interval.lowRps.toFixed(2)}–${interval.highRps.toFixed(2)}`;
  return ` → about ${rps.toPrecision(3)}/s${range}`;
}
