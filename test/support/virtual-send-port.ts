/** A send port in virtual time that answers as a test tells it to. */
import type { Clock } from '../../src/base/index.ts';
import {
  NO_TIMELINE,
  type OutgoingRequest,
  type RequestEnd,
  type SendPort,
  type SendResult,
} from '../../src/record/index.ts';

/** What becomes of one try unless its deadline or a cancellation comes first. */
export interface Answer {
  readonly latencyNs: number;
  readonly failed?: boolean;
  readonly completionTokens?: number;
  /** The body ends this much after the answer: the port returns late. */
  readonly lingerNs?: number;
}

export interface VirtualSendPort extends SendPort {
  /** Every try in order, stamped as it was handed over. */
  readonly sent: { readonly request: OutgoingRequest; readonly atNs: number }[];
  readonly inFlightMax: () => number;
}

export function virtualSendPort(
  clock: Clock,
  answerOf: (request: OutgoingRequest, order: number) => Answer,
): VirtualSendPort {
  const sent: { request: OutgoingRequest; atNs: number }[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  return {
    sent,
    inFlightMax: () => inFlightMax,
    send(request, signal) {
      const dispatchedNs = clock.nowNs();
      const answer = answerOf(request, sent.length);
      sent.push({ request, atNs: dispatchedNs });
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      return new Promise<SendResult>((resolve) => {
        const endAtNs = Math.min(dispatchedNs + answer.latencyNs, request.deadlineNs);
        const finish = (end: RequestEnd, doneNs: number | null): void => {
          takeDown();
          inFlight -= 1;
          resolve(resultOf(dispatchedNs, end, doneNs, answer));
        };
        const takeDown = clock.at(endAtNs + (answer.lingerNs ?? 0), () => {
          if (endAtNs === request.deadlineNs) {
            finish({ kind: 'timedOut', deadlineNs: request.deadlineNs }, null);
          } else if (answer.failed === true) {
            finish({ kind: 'failed', failure: 'socket', error: null }, null);
          } else {
            finish({ kind: 'completed' }, endAtNs);
          }
        });
        signal.addEventListener('abort', () => {
          finish({ kind: 'cancelled', atNs: clock.nowNs() }, null);
        });
      });
    },
  };
}

function resultOf(
  dispatchedNs: number,
  end: RequestEnd,
  doneNs: number | null,
  answer: Answer,
): SendResult {
  const completionTokens = doneNs === null ? null : (answer.completionTokens ?? null);
  return {
    dispatchedNs,
    timeline: {
      ...NO_TIMELINE,
      writtenNs: dispatchedNs,
      doneNs,
      bodyEndNs: doneNs,
      usage:
        completionTokens === null
          ? null
          : {
              promptTokens: null,
              completionTokens,
              reasoningTokens: null,
              cachedPromptTokens: null,
            },
    },
    end,
    httpStatus: end.kind === 'completed' ? 200 : null,
    queueNs: null,
    checks: [],
  };
}
