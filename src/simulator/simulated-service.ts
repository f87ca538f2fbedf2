import { assert, type Clock, randomStream } from '../base/index.ts';
import { createEngine, drawAnswerLength, type EngineOptions } from '../engine/index.ts';
import type { OutgoingRequest, SendPort, SendResult } from '../record/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import { PromptBlocks } from './prompt-blocks.ts';
import { Router, type RoutedPrompt, type RoutingPolicy } from './router.ts';
import { SimulatedAnswer } from './simulated-answer.ts';
import { SimulatedReplica } from './simulated-replica.ts';

/** What stands in for a server. */
export interface ServiceOptions {
  /** Of each replica; each steps at its own pace. */
  readonly engine: EngineOptions;
  /** ≥ 1. */
  readonly replicas: number;
  readonly router: RoutingPolicy;
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
}

/**
 * Replicas behind a router, on a clock, as the load generator sees a server: no network, no
 * tokenizer, no text. The body of a request names its place in the schedule (see {@link bodyOf}).
 */
export class SimulatedService implements SendPort {
  readonly #inputs: ServiceInputs;
  readonly #replicas: readonly SimulatedReplica[];
  readonly #router: Router;
  readonly #blocks: PromptBlocks;

  constructor(inputs: ServiceInputs) {
    const { engine, replicas, router, queueTimeoutNs } = inputs.service;
    assert(Number.isSafeInteger(replicas) && replicas >= 1, `${replicas} replicas serve nobody`);
    this.#inputs = inputs;
    this.#replicas = Array.from(
      { length: replicas },
      () => new SimulatedReplica(createEngine(engine), inputs.clock, queueTimeoutNs),
    );
    this.#router = new Router(router, replicas);
    this.#blocks = new PromptBlocks(engine.memory?.blockTokens ?? Infinity);
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
    const replica = this.#route({ blockIds, blocks });
    return new Promise((resolve) => {
      const onEnd = (result: SendResult): void => {
        disarm();
        signal.removeEventListener('abort', cancel);
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
      const cancel = (): void => {
        replica.cancel(id);
        answer.cancelled();
      };
      const disarm = clock.at(outgoing.deadlineNs, () => {
        replica.cancel(id);
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
      replica.submit({ id, promptTokens, outputTokens, content: { salt: '', blockIds } }, answer);
    });
  }

  #answerLength(request: ScheduledRequest, promptTokens: number) {
    const { answers, service } = this.#inputs;
    const { maxModelTokens } = service.engine.limits;
    const roomTokens = maxModelTokens === null ? Infinity : maxModelTokens - promptTokens;
    const random = randomStream(answers.seed, `answer/${request.index}`);
    return drawAnswerLength(
      {
        maxTokens: request.outputTokensMax ?? Math.max(1, roomTokens),
        minTokens: 1,
        ignoreEos: answers.exact,
      },
      random,
    );
  }

  #route(prompt: RoutedPrompt): SimulatedReplica {
    const outstanding = this.#replicas.map((replica) => replica.outstanding);
    return this.#replicas[this.#router.choose(outstanding, prompt)] as SimulatedReplica;
  }
}

/** The body of a request to a {@link SimulatedService}. */
export function bodyOf({ index }: ScheduledRequest): OutgoingRequest['body'] {
  return { index };
}
