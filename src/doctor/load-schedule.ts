/** A planned load as requests that are steady from the first instant of the measurement on. */
import { NS_PER_SECOND, nsFromSeconds, randomStream } from '../base/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import type { PlannedLoad } from './planned-load.ts';

/** Streams opened per second before the measurement: more would be a load of its own. */
const FILL_STREAMS_PER_SECOND = 500;
/** Of the filling, the part left for the last streams to settle. */
const SETTLE_SHARE = 0.2;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export interface LoadSchedule {
  readonly schedule: Schedule;
  /** From the start of the schedule: what comes before only fills the streams. */
  readonly measuredFromNs: number;
}

/**
 * First as many streams as planned, each with what is left of an answer already under way; then
 * arrivals at the planned rate (Poisson), each with a whole answer. So the number of streams and the
 * rate of chunks are the planned ones from the beginning, however long an answer takes.
 */
export function loadSchedule(
  load: PlannedLoad,
  { measureNs, seed }: { readonly measureNs: number; readonly seed: number },
): LoadSchedule {
  const fillNs = nsFromSeconds(Math.max(1, load.streamCount / FILL_STREAMS_PER_SECOND));
  const stopNs = fillNs + measureNs;
  const starts = [...fillingStarts(load, fillNs), ...steadyStarts(load, fillNs, stopNs, seed)];
  const prompts = randomStream(seed, 'prompts');
  const requests = starts.map(({ atNs, outputTokens }, index): ScheduledRequest => ({
    index,
    release: { kind: 'at', atNs },
    promptTokens: load.promptTokens,
    outputTokensMax: outputTokens,
    prompt: {
      kind: 'synthetic',
      seed: Math.floor(prompts() * 2 ** 53),
      tokens: load.promptTokens,
      sharedId: null,
      sharedTokens: 0,
    },
    session: null,
    class: null,
    priority: 0,
  }));
  // Nothing keeps this schedule, so nothing compares it.
  return { schedule: { requests, stopNs, slots: null, hash: '' }, measuredFromNs: fillNs };
}

interface Start {
  readonly atNs: number;
  readonly outputTokens: number;
}

/** Evenly spaced; what is left of the answers at the end of the filling is spread evenly as well. */
function fillingStarts(load: PlannedLoad, fillNs: number): Start[] {
  return Array.from({ length: load.streamCount }, (_, stream) => {
    const atNs = Math.round((stream / load.streamCount) * (1 - SETTLE_SHARE) * fillNs);
    const fillTokens = ((fillNs - atNs) / NS_PER_SECOND) * load.tokensPerSecond;
    const leftTokens = ((stream * GOLDEN_RATIO) % 1) * load.outputTokens;
    return { atNs, outputTokens: Math.max(1, Math.ceil(fillTokens + leftTokens)) };
  });
}

function steadyStarts(load: PlannedLoad, fromNs: number, stopNs: number, seed: number): Start[] {
  const random = randomStream(seed, 'arrivals');
  const starts: Start[] = [];
  let atNs = fromNs;
  for (;;) {
    atNs += (-Math.log(1 - random()) / load.startsRps) * NS_PER_SECOND;
    if (atNs >= stopNs) return starts;
    starts.push({ atNs: Math.round(atNs), outputTokens: load.outputTokens });
  }
}

/** The longest answer that a schedule asks for: what the server must be able to give. */
export function longestAnswerTokens({ requests }: Schedule): number {
  return requests.reduce((most, { outputTokensMax }) => Math.max(most, outputTokensMax ?? 0), 1);
}
