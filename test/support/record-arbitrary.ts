/** Sound records of every kind, for properties that must hold of any of them. */
import * as fc from 'fast-check';
import { OUTPUT_KINDS, type RequestRecord } from '../../src/record/index.ts';
import { failedEnd, recordOf } from './record-builder.ts';

const SECOND_NS = 1_000_000_000;

const instant = fc.integer({ min: 0, max: 100 * SECOND_NS });
/** Zero often: events of one read, and requests sent on time. */
const step = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: SECOND_NS }));
const count = fc.option(fc.nat(500));

const event = fc.record({
  stepNs: step,
  kind: fc.constantFrom(...OUTPUT_KINDS),
  tokens: fc.option(fc.integer({ min: 1, max: 5 })),
});

const sent = fc
  .record({
    plannedNs: instant,
    lagNs: step,
    firstNs: step,
    events: fc.array(event, { maxLength: 30 }),
    tailNs: step,
    how: fc.constantFrom('completed', 'truncated', 'timedOut', 'cancelled'),
    streamed: fc.boolean(),
    /** One token told for every event: rare by chance. */
    oneEach: fc.boolean(),
    oneTokenPerEvent: fc.boolean(),
    usage: fc.option(
      fc.record({
        promptTokens: count,
        completionTokens: count,
        reasoningTokens: count,
        cachedPromptTokens: count,
      }),
    ),
    requestId: fc.string(),
    queueNs: count,
  })
  .map(({ plannedNs, lagNs, firstNs, events, tailNs, how, oneEach, ...rest }): RequestRecord => {
    const dispatchedNs = plannedNs + lagNs;
    let atNs = dispatchedNs + firstNs;
    const arrivalsNs = events.map(({ stepNs }) => (atNs += stepNs));
    const doneNs = atNs + tailNs;
    return recordOf({
      ...rest,
      plannedNs,
      dispatchedNs,
      arrivalsNs,
      kinds: events.map(({ kind }) => kind),
      tokensPerEvent: events.map(({ tokens }) => (oneEach ? 1 : tokens)),
      doneNs: how === 'completed' ? doneNs : null,
      end:
        how === 'completed'
          ? { kind: how }
          : how === 'truncated'
            ? failedEnd(how)
            : how === 'timedOut'
              ? { kind: how, deadlineNs: doneNs }
              : { kind: how, atNs: doneNs },
    });
  });

const unsent = fc
  .record({ plannedNs: instant, reason: fc.constantFrom('ceiling', 'late', 'budget', null) })
  .map(({ plannedNs, reason }) =>
    reason === null
      ? recordOf({ plannedNs, notReached: true })
      : recordOf({ plannedNs, dropped: reason }),
  );

/** A request that was sent, however it ended. */
export const sentRecord: fc.Arbitrary<RequestRecord> = sent;

/** Any record. */
export const anyRecord: fc.Arbitrary<RequestRecord> = fc.oneof(
  { weight: 5, arbitrary: sent },
  { weight: 1, arbitrary: unsent },
);
