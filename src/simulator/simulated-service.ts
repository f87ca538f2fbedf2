import { assert, type Clock, randomStream } from '../base/index.ts';
import { drawAnswerLength, type EngineOptions, forcedAnswerLength } from '../engine/index.ts';
import type { OutgoingRequest, SendPort, SendResult } from '../record/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import type { AutoscalingOptions } from './autoscaler.ts';
import { DisaggregatedBackend, type DisaggregationOptions } from './disaggregated-backend.ts';
import { PromptBlocks } from './prompt-blocks.ts';
import type { RoutingPolicy } from './router.ts';
import { ScaledBackend } from './scaled-backend.ts';
import type { ServiceReport, ServingBackend } from './serving-backend.ts';
import { SimulatedAnswer } from './simulated-answer.ts';
import type { StepMethod } from './simulated-replica.ts';
import { StepBoundaries } from './step-boundaries.ts';
import type { StepTimeline } from './step-timeline.ts';

/** What stands in for a server. */
export interface ServiceOptions {
  /** Of each replica, or of each prefill replica; each steps at its own pace. */
  readonly engine: EngineOptions;
  /** At the start; the prefill ones where prefill and decode are apart. ≥ 1. */
  readonly replicas: number;
  readonly router: RoutingPolicy;
  readonly method: StepMethod;
  /** `null`: every replica does both prefill and decode. */
  readonly disaggregation: DisaggregationOptions | null;
  /** `null`: as many replicas as at the start. Not together with `disaggregation`. */
  readonly autoscaling: AutoscalingOptions | null;
  /** No request starts that has waited so long: it is turned away. `null` = for ever. > 0. */
  readonly queueTimeoutNs: number | null;
}

/** How long the answers are. */
export interface AnswerOptions {
  /** Exactly as long as asked; else the model's own length, at most that. */
  readonly exact: boolean;
  readonly seed: number;
}

export interface ServiceInputs {
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly service: ServiceOptions;
  readonly answers: AnswerOptions;
  /** Length of a prompt; the schedule does not tell it for every source. ≥ 1. */
  readonly promptTokensOf: (request: ScheduledRequest) => number;
  /** Called whenever a request has ended, before its promise settles, and when replicas are counted. */
  readonly onAnswer?: () => void;
  /** Keeps what every replica computed when; left out: nobody asks. */
  readonly steps?: StepTimeline | null;
}

/**
 * Replicas behind a router, on a clock, as the load generator sees a server: no network, no
 * tokenizer, no text. The body of a request names its place in the schedule (see {@link bodyOf}).
 */
export class SimulatedService implements SendPort {
  readonly #inputs: ServiceInputs;
  readonly #backend: ServingBackend;
  readonly #blocks: PromptBlocks;

  constructor(inputs: ServiceInputs) {
    const { engine, disaggregation, autoscaling, ...options } = inputs.service;
    const { clock } = inputs;
    this.#inputs = inputs;
    this.#blocks = new PromptBlocks(engine.memory?.blockTokens ?? Infinity);
    const boundaries = new StepBoundaries(clock);
    const parts = { ...options, engine, clock, boundaries, steps: inputs.steps ?? null };
    assert(disaggregation === null || autoscaling === null, 'two pools are not scaled');
    this.#backend =
      disaggregation === null
        ? new ScaledBackend(parts, autoscaling, () => inputs.onAnswer?.())
        : new DisaggregatedBackend(parts, disaggregation);
  }

  /** No request comes any more: tells what the service did up to now. */
  close(): ServiceReport {
    this.#backend.close();
    return this.#backend.report();
  }

  send(outgoing: OutgoingRequest, signal: AbortSignal): Promise<SendResult> {
    const { clock, schedule, service } = this.#inputs;
    const request = schedule.requests[outgoing.body['index'] as number];
    assert(request !== undefined, 'the body names no request of the schedule');
    const { limits, memory } = service.engine;
    const promptTokens = this.#inputs.promptTokensOf(request);
    const { outputTokens, finishReason } = this.#answerLength(request, promptTokens);
    const blockIds = this.#blocks.of(request.prompt, promptTokens);
    const blocks = memory === null ? 1 : Math.ceil(promptTokens / memory.blockTokens);
    const submit = this.#backend.route({ blockIds, blocks });
    return new Promise((resolve) => {
      const onEnd = (result: SendResult): void => {
        disarm();
        signal.removeEventListener('abort', cancel);
        this.#inputs.onAnswer?.();
        resolve(result);
      };
      const answer = new SimulatedAnswer({
        nowNs: () => clock.nowNs(),
        promptTokens,
        finishReason,
        tellsCached: memory?.prefixCaching === true,
        onEnd,
      });
      const id = String(request.index);
      let forget = (): void => {};
      const cancel = (): void => {
        forget();
        answer.cancelled();
      };
      const disarm = clock.at(outgoing.deadlineNs, () => {
        forget();
        answer.timedOut(outgoing.deadlineNs);
      });
      signal.addEventListener('abort', cancel);
      const { maxModelTokens } = limits;
      const askedTokens = promptTokens + (request.outputTokensMax ?? outputTokens);
      if (maxModelTokens !== null && askedTokens > maxModelTokens) {
        // Servers refuse by what is asked for: nobody knows how long the answer would be.
        answer.rejected('contextLength');
        return;
      }
      const content = { salt: '', blockIds };
      const { priority } = request;
      forget = submit({ id, promptTokens, outputTokens, content, priority }, answer);
    });
  }

  #answerLength(request: ScheduledRequest, promptTokens: number) {
    const { answers, service } = this.#inputs;
    const { maxModelTokens } = service.engine.limits;
    const roomTokens = maxModelTokens === null ? Infinity : maxModelTokens - promptTokens;
    const maxTokens = request.outputTokensMax ?? Math.max(1, roomTokens);
    // Each answer has a stream of its own: one that needs no draw takes none from another.
    if (answers.exact) return forcedAnswerLength(maxTokens);
    return drawAnswerLength(
      { maxTokens, minTokens: 1, ignoreEos: false },
      randomStream(answers.seed, `answer/${request.index}`),
    );
  }
}

/** The body of a request to a {@link SimulatedService}. */
export function bodyOf({ index }: ScheduledRequest): OutgoingRequest['body'] {
  return { index };
}
