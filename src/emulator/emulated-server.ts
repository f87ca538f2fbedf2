import type { IncomingMessage, ServerResponse } from 'node:http';
import { assertNever, type Clock } from '../base/index.ts';
import { createEngine, type Engine, type EngineRequest } from '../engine/index.ts';
import { FaultDraw, OVERLOAD, overQuota, stepFactorAt, type Fault } from '../faults/index.ts';
import { METRICS_CONTENT_TYPE, renderMetrics } from '../prometheus/index.ts';
import { SERVED_DIALECT_NAMES, SERVED_DIALECTS, type AnswerEncoder } from '../wire/index.ts';
import { planAnswer, type AnswerPlan } from './answer-plan.ts';
import { contextTooLong, notFound, QUEUE_TIMEOUT, type ApiError } from './api-error.ts';
import { TEMPLATE_TOKENS_PER_MESSAGE, tokenIds } from './count-tokens.ts';
import type { EmissionLog } from './emission-log.ts';
import { emulatedEngineOptions, type EmulatorOptions } from './emulator-options.ts';
import {
  parseGenerationRequest,
  parsePrompt,
  type GenerationApi,
  type GenerationRequest,
} from './generation-request.ts';
import { faultyWriter } from './faulty-writer.ts';
import { Generation } from './generation.ts';
import { readJsonBody, sendError, sendJson } from './http-exchange.ts';
import { LatenessMeter, type Lateness } from './lateness-meter.ts';
import { createCoarseClock } from './precise-clock.ts';
import { RequestQuota } from './request-quota.ts';
import { ServerMetrics } from './server-metrics.ts';
import { promptContent } from './prompt-content.ts';
import type { SpanLog } from './span-log.ts';
import { StepDriver, type TurnedAway } from './step-driver.ts';

/** What the emulator has done and is doing. */
export interface EmulatorStats {
  /** Requests prefilling or decoding. */
  readonly running: number;
  /** Requests that have not begun. */
  readonly waiting: number;
  readonly completed: number;
  /** Clients that went away before their answer was complete. */
  readonly cancelled: number;
  /** Turned away by the queue limit or the quota. */
  readonly rejected: number;
  /** Of requests that have a first token. */
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** How faithful the emulator is to its own plan. */
export interface EmulatorLateness {
  /** Steps against the instant they were due to end. */
  readonly steps: Lateness;
  /** Streamed events against the end of their step: includes the other events of the same step. */
  readonly events: Lateness;
  /** How far the step under way is overdue right now. */
  readonly behindNs: number;
}

type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

const MAX_REQUEST_ID_CHARACTERS = 128;

/** The routes of the emulator and the engine behind them; the socket belongs to the caller. */
export class EmulatedServer {
  readonly #options: EmulatorOptions;
  readonly #clock: Clock;
  readonly #log: EmissionLog;
  readonly #spans: SpanLog;
  readonly #startNs: number;
  readonly #faults: FaultDraw;
  #engine: Engine;
  #driver: StepDriver;
  #metrics: ServerMetrics;
  readonly #stepLateness = new LatenessMeter();
  readonly #eventLateness = new LatenessMeter();
  readonly #quota: RequestQuota | null;
  readonly #routes: ReadonlyMap<string, Readonly<Record<string, Route>>>;
  #requests = 0;
  #rejected = 0;
  /** What engines had done that have crashed since. */
  #before = { completed: 0, cancelled: 0, promptTokens: 0, outputTokens: 0 };

  constructor(
    options: EmulatorOptions,
    clock: Clock,
    { log, spans }: { readonly log: EmissionLog; readonly spans: SpanLog },
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#spans = spans;
    this.#startNs = clock.nowNs();
    this.#faults = new FaultDraw(options.faults.rules, options.seed);
    this.#engine = createEngine(emulatedEngineOptions(options));
    this.#driver = this.#createDriver();
    this.#metrics = new ServerMetrics(options);
    this.#quota = options.quota === null ? null : new RequestQuota(options.quota);
    this.#routes = new Map<string, Readonly<Record<string, Route>>>([
      ...SERVED_DIALECT_NAMES.map((api): [string, Readonly<Record<string, Route>>] => [
        SERVED_DIALECTS[api].path,
        { POST: (req, res) => this.#generate(api, req, res) },
      ]),
      ['/v1/models', { GET: (_, res) => this.#models(res) }],
      ['/tokenize', { POST: (req, res) => this.#tokenize(req, res) }],
      ['/health', { GET: (_, res) => void res.end() }],
      ['/version', { GET: (_, res) => sendJson(res, { version: 'goodput-emulator' }) }],
      ['/metrics', { GET: (_, res) => this.#serveMetrics(res) }],
    ]);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const methods = this.#routes.get(path);
    const route = methods?.[request.method ?? ''];
    if (methods === undefined) return sendError(response, notFound('There is nothing here.'));
    if (route === undefined) {
      const error = { ...notFound('Method not allowed.'), status: 405 };
      return sendError(response, { ...error, headers: { allow: Object.keys(methods).join(', ') } });
    }
    await route(request, response);
  }

  stats(): EmulatorStats {
    const { waiting, running } = this.#engine.state();
    const { completed, cancelled, promptTokens, outputTokens } = this.#done();
    return {
      running,
      waiting: waiting + this.#driver.arrived,
      completed,
      cancelled,
      rejected: this.#rejected,
      promptTokens,
      outputTokens,
    };
  }

  lateness(): EmulatorLateness {
    return {
      steps: this.#stepLateness.read(),
      events: this.#eventLateness.read(),
      behindNs: this.#driver.behindNs(),
    };
  }

  stop(): void {
    this.#driver.stop();
  }

  /** A new engine in place of the one that was: nothing it held, counted or cached is left. */
  crash(): void {
    this.#before = this.#done();
    this.#driver.stop();
    this.#engine = createEngine(emulatedEngineOptions(this.#options));
    this.#driver = this.#createDriver();
    this.#metrics = new ServerMetrics(this.#options);
  }

  #createDriver(): StepDriver {
    const { queueTimeoutNs, faults } = this.#options;
    return new StepDriver(this.#engine, this.#clock, {
      queueTimeoutNs,
      stepFactorAt: (atNs) => stepFactorAt(faults, atNs - this.#startNs),
      onStep: (computedTokens) => this.#metrics.stepped(computedTokens),
      lateness: this.#stepLateness,
      spreadClock: this.#options.spreadEvents ? createCoarseClock() : null,
    });
  }

  /** What all engines have done so far. */
  #done() {
    const { finished, promptTokens, outputTokens } = this.#metrics;
    return {
      completed: this.#before.completed + finished.stop + finished.length,
      cancelled: this.#before.cancelled + finished.abort,
      promptTokens: this.#before.promptTokens + promptTokens,
      outputTokens: this.#before.outputTokens + outputTokens,
    };
  }

  async #generate(
    api: GenerationApi,
    httpRequest: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const refuse = (error: ApiError): void =>
      sendError(response, error, SERVED_DIALECTS[api].errorBody);
    const read = await readJsonBody(httpRequest);
    if (read === null || response.destroyed) return;
    if (read.kind === 'refused') return refuse(read.error);
    const parsed = parseGenerationRequest(api, read.body, this.#options);
    if (parsed.kind === 'refused') return refuse(parsed.error);
    const retryAfterSeconds = this.#quota?.take(this.#clock.nowNs()) ?? null;
    if (this.#quota !== null) tellLimits(response, this.#quota);
    if (retryAfterSeconds !== null) {
      const limit = this.#quota?.text() ?? '';
      return this.#reject(api, response, overQuota(limit, retryAfterSeconds));
    }
    this.#requests += 1;
    const requestId = headerText(httpRequest, 'x-request-id') ?? String(this.#requests);
    const fault = this.#drawFault(requestId, parsed.value);
    if (fault?.kind === 'refuse') return this.#reject(api, response, fault);
    if (fault?.kind === 'hang') return;
    const traceparent = headerText(httpRequest, 'traceparent');
    this.#answer({ requestId, traceparent }, parsed.value, fault, response);
  }

  #answer(
    identity: { readonly requestId: string; readonly traceparent: string | null },
    request: GenerationRequest,
    fault: Fault | null,
    response: ServerResponse,
  ): void {
    const { api } = request;
    const { requestId, traceparent } = identity;
    const id = String(this.#requests);
    const answer = planAnswer(request, this.#options.seed, this.#options.reasoningTokens);
    const encoder = this.#createEncoder(requestId, request);
    const driver = this.#driver;
    const abandon = (): void => {
      // After a crash there is nothing left to abandon.
      if (driver === this.#driver && driver.cancel(id)) this.#metrics.aborted();
    };
    const generation = new Generation(
      {
        requestId,
        request,
        answer,
        encoder,
        writer: faultyWriter(fault, response, {
          abandon,
          errorEvent: (error) => encoder.errorEvent(error),
          errorBody: SERVED_DIALECTS[api].errorBody,
        }),
        tokensPerEvent: fault?.kind === 'multiToken' ? fault.tokens : this.#options.tokensPerEvent,
        emptyDeltas: fault?.kind === 'roleOnly' ? fault.deltas : 0,
        onRejected: (reason) => {
          const askedTokens = request.promptTokens + answer.outputTokens;
          this.#reject(api, response, this.#rejectionError(reason, askedTokens));
        },
      },
      {
        nowNs: () => this.#clock.nowNs(),
        metrics: this.#metrics,
        log: this.#log,
        onAnswered: (answered) => {
          const logged = `${SERVED_DIALECTS[api].idPrefix}${requestId}`;
          const { model } = this.#options;
          this.#spans.add({ ...answered, requestId: logged, traceparent, model });
        },
        lateness: this.#eventLateness,
        includeRole: this.#options.includeRole,
        tellsCached: this.#options.prefixCaching,
        holdsHead: this.#options.queueTimeoutNs !== null,
      },
    );
    response.on('close', () => {
      if (!response.writableEnded) abandon();
    });
    driver.submit(this.#engineRequest(id, request, answer), generation);
  }

  #createEncoder(requestId: string, { api, promptTokens }: GenerationRequest): AnswerEncoder {
    const { idPrefix, createEncoder } = SERVED_DIALECTS[api];
    const now = new Date();
    return createEncoder({
      id: `${idPrefix}${requestId}`,
      createdSeconds: Math.floor(now.getTime() / 1_000),
      createdIso: now.toISOString(),
      model: this.#options.model,
      promptTokens,
    });
  }

  #drawFault(requestId: string, { api, streamed }: GenerationRequest): Fault | null {
    const number = this.#requests;
    const sinceStartNs = this.#clock.nowNs() - this.#startNs;
    const rule = this.#faults.draw({ number, sinceStartNs, api, streamed });
    if (rule === null) return null;
    this.#log.addFault({ requestId, fault: rule.name, kind: rule.fault.kind });
    return rule.fault;
  }

  #engineRequest(id: string, request: GenerationRequest, answer: AnswerPlan): EngineRequest {
    const { promptTokens, priority } = request;
    const plain = { id, promptTokens, outputTokens: answer.outputTokens, priority };
    if (!this.#options.prefixCaching) return plain;
    return { ...plain, content: promptContent(request, answer, this.#options) };
  }

  #reject(api: GenerationApi, response: ServerResponse, error: ApiError): void {
    this.#rejected += 1;
    sendError(response, error, SERVED_DIALECTS[api].errorBody);
  }

  #rejectionError(reason: TurnedAway, askedTokens: number): ApiError {
    switch (reason) {
      case 'contextLength':
        return contextTooLong(this.#options.maxModelTokens, askedTokens);
      case 'queueFull':
        return this.#options.queueFull === 'overload'
          ? OVERLOAD
          : overQuota(`at most ${this.#options.maxWaiting} requests may wait`, 1);
      case 'queueTimeout':
        return QUEUE_TIMEOUT;
      default:
        return assertNever(reason);
    }
  }

  #models(response: ServerResponse): void {
    const { model, maxModelTokens } = this.#options;
    const entry = {
      id: model,
      object: 'model',
      owned_by: 'goodput',
      max_model_len: maxModelTokens,
    };
    sendJson(response, { object: 'list', data: [entry] });
  }

  async #tokenize(httpRequest: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readJsonBody(httpRequest);
    if (read === null) return;
    if (read.kind === 'refused') return sendError(response, read.error);
    const api = read.body['messages'] === undefined ? 'completions' : 'chat';
    const prompt = parsePrompt(api, read.body);
    if (prompt.kind === 'refused') return sendError(response, prompt.error);
    const words = tokenIds(prompt.value.text);
    // Marks of the template (or of an empty prompt) come first, with ids no word has.
    const marks = Array.from({ length: prompt.value.tokens - words.length }, (_, at) => {
      return 128_000 + (at % TEMPLATE_TOKENS_PER_MESSAGE);
    });
    const tokens = [...marks, ...words];
    const { maxModelTokens } = this.#options;
    sendJson(response, { count: tokens.length, max_model_len: maxModelTokens, tokens });
  }

  #serveMetrics(response: ServerResponse): void {
    const state = this.#engine.state();
    const waiting = state.waiting + this.#driver.arrived;
    response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE });
    const families = this.#metrics.families({ ...state, waiting }, this.#engine.totals());
    response.end(renderMetrics(families));
  }
}

function tellLimits(response: ServerResponse, quota: RequestQuota): void {
  for (const [name, value] of Object.entries(quota.headers())) response.setHeader(name, value);
}

function headerText(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== ''
    ? value.slice(0, MAX_REQUEST_ID_CHARACTERS)
    : null;
}
