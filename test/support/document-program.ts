/**
 * `serve` of the program in "Latency SLOs and goodput", line by line: lists and objects, no
 * cleverness. What the simulator is held against.
 */
import { type TwoLineCost, twoLineSeconds } from '../../src/engine/index.ts';
import type { RequestBlock } from '../../src/simulator/index.ts';

export interface ProgramOptions {
  readonly cost: TwoLineCost;
  readonly tokenBudget: number;
  readonly maxSequences: number;
  readonly leakTokens: 0 | 1;
}

export interface ProgramRequest {
  readonly arrival: number;
  readonly prompt: number;
  readonly output: number;
  left: number;
  first: number;
  done: number;
}

interface Running {
  readonly finishStep: number;
  readonly request: ProgramRequest;
}

/** Requests in order of arrival, with the seconds of their first and last token. */
export function documentProgram(block: RequestBlock, options: ProgramOptions): ProgramRequest[] {
  const { cost, tokenBudget, maxSequences, leakTokens } = options;
  const requests = Array.from({ length: block.count }, (_, at): ProgramRequest => {
    const prompt = block.promptTokens[at]!;
    const output = block.outputTokens[at]!;
    const arrival = block.arrivalSeconds[at]!;
    return { arrival, prompt, output, left: prompt, first: Infinity, done: Infinity };
  });
  const waiting: ProgramRequest[] = [];
  let running: Running[] = [];
  let next = 0;
  let now = 0;
  let step = 0;
  let context = 0;
  while (next < requests.length || waiting.length > 0 || running.length > 0) {
    if (waiting.length === 0 && running.length === 0) now = Math.max(now, requests[next]!.arrival);
    while (next < requests.length && requests[next]!.arrival <= now) {
      waiting.push(requests[next]!);
      next += 1;
    }
    let tokens = running.length;
    let left = tokenBudget - running.length;
    const finished: ProgramRequest[] = [];
    for (const request of waiting) {
      if (left <= 0 || running.length + finished.length >= maxSequences) break;
      const take = Math.min(left, request.left);
      request.left -= take;
      left -= take;
      tokens += take;
      if (request.left === 0) finished.push(request);
    }
    let partial = 0;
    for (const request of waiting) if (request.left > 0) partial += request.prompt - request.left;
    now += twoLineSeconds(cost, tokens, context + partial);
    step += 1;
    context += running.length;
    for (const { finishStep, request } of running) {
      if (finishStep > step) continue;
      request.done = now;
      context -= request.prompt + request.output - 1 + leakTokens;
    }
    running = running.filter(({ finishStep }) => finishStep > step);
    for (const request of finished) {
      waiting.splice(waiting.indexOf(request), 1);
      request.first = now;
      running.push({ finishStep: step + request.output - 1, request });
      context += request.prompt;
    }
  }
  return requests;
}
