/** How much of this machine a load will take, before it is sent, and how many processes that makes. */
import { EnvironmentError, secondsFromNs } from '../../base/index.ts';
import type { LoadPoint } from '../load-points.ts';
import { stripesMax } from '../../loadgen/index.ts';
import type { Schedule } from '../../workload/index.ts';
import type { AnswerFacts } from '../answer-facts.ts';

/**
 * Processor time of the client by `bench:client-cpu` and `bench:generator-processes` on 2 cores of an
 * AMD EPYC: to read one chunk (20 µs among 1,024 streams, 50 among 256 on a busy machine), and to
 * start and record one request.
 */
export const CHUNK_COST_NS = 27_000;
export const START_COST_NS = 500_000;
/** Above this share of its time an event loop stamps late. */
export const LOOP_LIMIT_SHARE = 0.65;
/** No error of the estimate explains more than this many times the machine's cores. */
const REFUSED_ABOVE = 2;
/** Of answers whose length nobody tells. */
const USUAL_OUTPUT_TOKENS = 256;

/** A load as its generators will feel it, from above. */
export interface GeneratorNeed {
  readonly startsRps: number;
  /** Chunks read per second, all streams together. */
  readonly chunksPerSecond: number;
  /** Streams open at once. */
  readonly streams: number;
  /** Processor time per second. */
  readonly cores: number;
}

/**
 * Every output event taken for a chunk of its own, and every stream as fast as the one that answered
 * alone in the preflight: a loaded server is slower, so a closed loop takes less than this.
 */
export function generatorNeed(
  { schedule }: { readonly schedule: Schedule },
  options: {
    /** `null` where the preflight had none. */
    readonly answer: AnswerFacts | null;
    readonly maxInFlight: number;
    /** Whether answers come as streams; one as a whole is read at once. */
    readonly stream: boolean;
  },
): GeneratorNeed {
  const { answer, maxInFlight, stream } = options;
  const { requests, slots, stopNs } = schedule;
  const seconds = Math.max(secondsFromNs(stopNs), 1e-9);
  const tokensPerEvent = Math.max(1, answer?.tokensPerEvent ?? 1);
  const chunks = meanOutputTokens(schedule) / tokensPerEvent;
  const chunkSeconds = secondsPerEvent(answer);
  const answerSeconds = secondsFromNs(answer?.ttftNs ?? 0) + chunks * chunkSeconds;
  const inLoop = slots ?? openChains(schedule);
  const loopSeconds = Math.max(answerSeconds + meanThinkSeconds(schedule), 1e-3);
  const mostRps = requests.length / seconds;
  const startsRps = inLoop === null ? mostRps : Math.min(mostRps, inLoop / loopSeconds);
  const streams = Math.min(maxInFlight, inLoop ?? Math.round(startsRps * answerSeconds));
  const chunksPerSecond = stream ? startsRps * chunks : 0;
  const cores = (chunksPerSecond * CHUNK_COST_NS + startsRps * START_COST_NS) / 1e9;
  return { startsRps, chunksPerSecond, streams, cores };
}

export interface GeneratorPlan {
  readonly processes: number;
  /** What to tell the user; `null` where one process does. */
  readonly note: string | null;
}

/**
 * As many processes as keep each event loop below its limit, or as many as the user says.
 *
 * Errors: EnvironmentError `E_GENERATOR_LIMIT` where nobody said a number and the load needs over
 * twice the cores there are; below that the estimate, which is one from above, may be wrong.
 */
export function planGenerators(
  point: Pick<LoadPoint, 'load'> & { readonly schedule: Schedule },
  need: GeneratorNeed,
  options: {
    readonly asked: number | null;
    readonly cores: number;
    readonly maxInFlight: number;
  },
): GeneratorPlan {
  const { asked, cores, maxInFlight } = options;
  const wanted = Math.max(1, Math.ceil(need.cores / LOOP_LIMIT_SHARE));
  // A process with no part of the ceiling could send nothing.
  const most = Math.min(stripesMax(point.schedule), maxInFlight);
  if (asked !== null) {
    const processes = Math.min(asked, most);
    const fewer = `${point.load.label} can be dealt to ${counted(processes)} at most`;
    return { processes, note: processes < asked ? fewer : null };
  }
  const words = `${point.load.label} needs about ${need.cores.toFixed(1)} cores of generator`;
  if (need.cores > REFUSED_ABOVE * cores) throw tooLarge(words, cores);
  const processes = Math.min(wanted, cores, most);
  if (wanted === 1) return { processes, note: null };
  const tooFew = `, which are fewer than the ${wanted} that would keep each below ${LOOP_LIMIT_SHARE * 100} %: read the validity`;
  return {
    processes,
    note: `${words}: ${counted(processes)}${processes < wanted ? tooFew : ''}`,
  };
}

function counted(processes: number): string {
  return processes === 1 ? '1 process' : `${processes} processes`;
}

function tooLarge(words: string, cores: number): EnvironmentError {
  return new EnvironmentError({
    code: 'E_GENERATOR_LIMIT',
    message: `${words}, and this machine has ${cores}: what it sent would be less than that`,
    hint: 'offer less load, use a larger machine, or say how many --processes to try all the same',
  });
}

/** Time from one output event to the next of the probe; 0 where it had no two. */
function secondsPerEvent(answer: AnswerFacts | null): number {
  if (answer === null || answer.completionNs === null || answer.events < 2) return 0;
  return secondsFromNs(answer.completionNs - (answer.ttftNs ?? 0)) / (answer.events - 1);
}

function meanOutputTokens({ requests }: Schedule): number {
  const total = requests.reduce(
    (sum, { outputTokensMax }) => sum + (outputTokensMax ?? USUAL_OUTPUT_TOKENS),
    0,
  );
  return total / Math.max(1, requests.length);
}

/** Users of a closed loop; `null` for an open one. */
function openChains({ requests }: Schedule): number | null {
  const first = requests.filter(
    ({ release }) => release.kind === 'after' && release.index === null,
  );
  return first.length === 0 ? null : first.length;
}

function meanThinkSeconds({ requests }: Schedule): number {
  const thinks = requests.flatMap(({ release }) =>
    release.kind === 'after' ? [release.thinkNs] : [],
  );
  return secondsFromNs(thinks.reduce((sum, ns) => sum + ns, 0) / Math.max(1, thinks.length));
}
