/** Any records a run could leave: every outcome, length, label and instant, in one point. */
import * as fc from 'fast-check';
import type { RequestRecord } from '../../src/record/index.ts';
import { failedEnd, recordOf, type RecordOptions } from './record-builder.ts';

const MS = 1_000_000;

/** A record of the point's schedule, without its place in it. */
const options: fc.Arbitrary<RecordOptions> = fc
  .record({
    fate: fc.constantFrom(
      'completed',
      'completed',
      'completed',
      'dropped',
      'notReached',
      'failed',
      'refused',
      'timedOut',
      'cancelled',
    ),
    plannedMs: fc.nat(10_000),
    lagMs: fc.nat(20),
    ttftMs: fc.nat(2_000),
    gapsMs: fc.array(fc.nat(80), { maxLength: 12 }),
    usageKnown: fc.boolean(),
    promptTokens: fc.option(fc.nat(100_000), { nil: null }),
    perEvent: fc.boolean(),
    reused: fc.constantFrom(true, false, null),
    tenant: fc.constantFrom(null, 'a', 'b'),
  })
  .map((given) => {
    const plannedNs = given.plannedMs * MS;
    const dispatchedNs = plannedNs + given.lagMs * MS;
    const firstNs = dispatchedNs + given.ttftMs * MS;
    const arrivalsNs = [firstNs];
    for (const gap of given.gapsMs) arrivalsNs.push((arrivalsNs.at(-1) as number) + gap * MS);
    const endNs = (arrivalsNs.at(-1) as number) + MS;
    const usage = given.usageKnown
      ? { promptTokens: given.promptTokens, completionTokens: arrivalsNs.length }
      : null;
    const common: RecordOptions = {
      plannedNs,
      dispatchedNs,
      usage,
      arrivalsNs,
      promptTokensPlanned: given.promptTokens,
      tokensPerEvent: given.perEvent ? 1 : null,
      labels: { tenant: given.tenant },
      timeline: { reused: given.reused },
    };
    const unfinished: RecordOptions = { ...common, doneNs: null, finishReason: null };
    switch (given.fate) {
      case 'dropped':
        return { plannedNs, dropped: 'ceiling' };
      case 'notReached':
        return { plannedNs: plannedNs + 20_000 * MS, notReached: true };
      case 'failed':
        return { ...unfinished, httpStatus: 503, end: failedEnd('httpStatus') };
      case 'refused':
        return {
          ...unfinished,
          arrivalsNs: [],
          httpStatus: 429,
          end: failedEnd('httpStatus', { httpStatus: 429, evidence: ['quota'] }),
        };
      case 'timedOut':
        return { ...unfinished, end: { kind: 'timedOut', deadlineNs: endNs } };
      case 'cancelled':
        return { ...unfinished, end: { kind: 'cancelled', atNs: endNs } };
      default:
        return common;
    }
  });

/** Up to 40 records of one point, numbered by their place in the schedule. */
export const anyRecords: fc.Arbitrary<RequestRecord[]> = fc
  .array(options, { maxLength: 40 })
  .map((all) => all.map((one, scheduleIndex) => recordOf({ ...one, scheduleIndex })));
