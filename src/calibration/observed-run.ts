/** What a step cost can be learned from: requests that were served, and when. */
import { measureRecord, type RequestRecord } from '../record/index.ts';
import type { Arrival } from '../simulator/index.ts';

export interface ObservedRequest extends Arrival {
  /** First and last token, on the clock of the arrivals. */
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface ObservedRun {
  /** How reports call the run. */
  readonly name: string;
  /** In order of arrival; the first arrives at 0. */
  readonly requests: readonly ObservedRequest[];
  /** Requests that were sent and cannot be used: failed, or without token counts or a first token. */
  readonly leftOutCount: number;
}

/**
 * The usable requests of a run. A request arrives when it was dispatched. Requests that failed or
 * were never answered did load the server but are not part of the replay: the fewer there are, the
 * better the fit can be.
 */
export function observeRun(name: string, records: Iterable<RequestRecord>): ObservedRun {
  const requests: ObservedRequest[] = [];
  let leftOutCount = 0;
  for (const record of records) {
    if (record.dispatch.kind !== 'sent') continue;
    const observed = observe(record, record.dispatch.dispatchedNs);
    if (observed === null) leftOutCount += 1;
    else requests.push(observed);
  }
  requests.sort((a, b) => a.atNs - b.atNs);
  const originNs = requests[0]?.atNs ?? 0;
  return {
    name,
    requests: requests.map((request) => ({
      ...request,
      atNs: request.atNs - originNs,
      firstNs: request.firstNs - originNs,
      lastNs: request.lastNs - originNs,
    })),
    leftOutCount,
  };
}

function observe(record: RequestRecord, dispatchedNs: number): ObservedRequest | null {
  if (record.end?.kind !== 'completed') return null;
  // Hidden or shown, every generated token took a step.
  const measures = measureRecord(record, {
    counts: ['answer', 'reasoning', 'refusal', 'toolCall'],
  });
  const { ttftFromDispatchNs, lastContentNs, outputTokens, promptTokens } = measures;
  if (ttftFromDispatchNs === null || lastContentNs === null) return null;
  if (outputTokens === null || outputTokens < 1) return null;
  const prompt = promptTokens ?? record.promptTokensPlanned;
  if (prompt === null || prompt < 1) return null;
  return {
    atNs: dispatchedNs,
    promptTokens: prompt,
    outputTokens,
    firstNs: dispatchedNs + ttftFromDispatchNs,
    lastNs: dispatchedNs + lastContentNs,
  };
}
