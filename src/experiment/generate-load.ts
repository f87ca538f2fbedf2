/** What a generator does for a load point, in this process or in one of several. */
import { type Clock, secondsFromNs } from '../base/index.ts';
import type { ConnectionOpenings, HttpClient } from '../client/index.ts';
import { pacerForRate, startSelfMeter } from '../host/index.ts';
import {
  type PointOptions,
  type PointOutcome,
  type RecordTemplate,
  runSchedule,
} from '../loadgen/index.ts';
import type { ConnectionsInLoad, GeneratorEvidence } from '../record/index.ts';
import type { Schedule } from '../workload/index.ts';
import { AnswerMemory, repeatsAnswers } from './answer-memory.ts';
import type { Prepare } from './prepare-request.ts';

/** A load for one generator. Plain data. */
export interface GeneratorLoad extends Pick<
  PointOptions,
  'requestTimeoutNs' | 'maxInFlight' | 'retry' | 'latenessLimitNs' | 'atEnd'
> {
  readonly schedule: Schedule;
  readonly template: RecordTemplate;
  /** To open before the load, so that handshakes are not part of it. */
  readonly connections: number;
  /** What the pacer is chosen by, where the schedule's mean is not the rate that is lasting. */
  readonly arrivalsRps: number | null;
}

/** What a generator has for all its loads. */
export interface GeneratorTools {
  readonly clock: Clock;
  readonly client: HttpClient;
  readonly prepare: Prepare;
}

export type LoadHooks = Pick<
  PointOptions,
  'budget' | 'stopStarts' | 'cancelAll' | 'onStart' | 'onRecord' | 'onProgress'
>;

export interface GeneratedLoad {
  readonly outcome: PointOutcome;
  readonly evidence: GeneratorEvidence;
}

/**
 * Opens the connections and returns what sends the load, from an instant on that should lie a little
 * ahead.
 */
export async function readyLoad(
  load: GeneratorLoad,
  { clock, client, prepare }: GeneratorTools,
): Promise<(startNs: number, hooks: LoadHooks) => Promise<GeneratedLoad>> {
  const { connections, arrivalsRps, ...options } = load;
  const { requests, stopNs } = load.schedule;
  const openedBefore = client.connectionsOpened;
  await client.warm(connections);
  const warmed = client.openings;
  const startsRps = arrivalsRps ?? requests.length / Math.max(secondsFromNs(stopNs), 1e-9);
  const pacer = await pacerForRate(startsRps, clock);
  const meter = startSelfMeter(clock);
  const answers = repeatsAnswers(load.schedule) ? new AnswerMemory(load.schedule) : null;
  return async (startNs, hooks) => {
    try {
      const outcome = await runSchedule({
        ...options,
        ...hooks,
        clock,
        pacer,
        startNs,
        ...(answers === null
          ? { send: client, prepare: (request, requestId) => prepare(request, requestId) }
          : heard(answers, client, prepare, hooks)),
      });
      const evidence = await meter.stop();
      const connectionCount = client.connectionsOpened - openedBefore;
      const connectionsInLoad = openedSince(warmed, client.openings);
      return { outcome, evidence: { ...evidence, connectionCount, connectionsInLoad } };
    } finally {
      await pacer.stop();
    }
  };
}

function openedSince(before: ConnectionOpenings, now: ConnectionOpenings): ConnectionsInLoad {
  return {
    allBusy: now.allBusy - before.allBusy,
    serverClosed: now.serverClosed - before.serverClosed,
    idleEnded: now.idleEnded - before.idleEnded,
    givenUp: now.givenUp - before.givenUp,
  };
}

/** The same with the answers listened to, for the sessions that repeat them. */
function heard(
  answers: AnswerMemory,
  client: HttpClient,
  prepare: Prepare,
  { onRecord }: LoadHooks,
): Pick<PointOptions, 'send' | 'prepare' | 'onRecord'> {
  return {
    send: answers.listeningTo(client),
    prepare(request, requestId) {
      answers.expect(requestId, request);
      return prepare(request, requestId, (index) => answers.textOf(request, index));
    },
    onRecord: (record) => onRecord(answers.recorded(record)),
  };
}
