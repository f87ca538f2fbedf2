import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { judge } from './judge.ts';
import { objectiveText, parseObjective } from './objective-expression.ts';
import type { Objective } from './objective.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

/** guidellm#737: `delta.reasoning` from 100 ms to 4 s, the answer at 4.01 s. */
const THOUGHTFUL = recordOf({
  plannedNs: 0,
  dispatchedNs: nsFromMs(10),
  arrivalsNs: [100, 2_000, 4_000, 4_010].map(nsFromMs),
  kinds: ['reasoning', 'reasoning', 'reasoning', 'answer'],
});

function stateOf(text: string, record = THOUGHTFUL) {
  const { objectives } = judge(record, objectiveOf(text));
  return objectives.find(({ objective }) => objective === 'firstAnswer');
}

describe('firstAnswer', () => {
  it('is the first event of the answer, while TTFT counts the thinking', () => {
    const { objectives } = judge(THOUGHTFUL, objectiveOf('ttft<=100ms, firstAnswer<=4010ms'));
    expect(
      objectives.map(({ objective, state, observed }) => [objective, state, observed]),
    ).toEqual([
      ['correctness', 'met', null],
      ['ttft', 'met', nsFromMs(100)],
      ['firstAnswer', 'met', nsFromMs(4_010)],
    ]);
    expect(stateOf('firstAnswer<=4009ms')?.state).toBe('missed');
  });

  it('starts where the objective starts', () => {
    expect(stateOf('firstAnswer<=4s, from=dispatch')).toMatchObject({
      state: 'met',
      observed: nsFromSeconds(4),
    });
  });

  it('is unknown, never good, where there was only thinking', () => {
    const silent = recordOf({ kinds: 'reasoning', arrivalsNs: [nsFromMs(5)] });
    expect(stateOf('firstAnswer<=9s, needs=reasoning', silent)).toMatchObject({
      state: 'unknown',
      reason: 'noAnswer',
    });
  });

  it('is missed for certain when the wait was cut off after the limit', () => {
    const end = { kind: 'timedOut', deadlineNs: nsFromSeconds(6) } as const;
    const cut = recordOf({ kinds: 'reasoning', arrivalsNs: [nsFromMs(5)], doneNs: null, end });
    expect(stateOf('firstAnswer<=5s', cut)?.reason).toBe('overLimitWhenCut');
    expect(stateOf('firstAnswer<=7s', cut)?.state).toBe('unknown');
    expect(
      stateOf('firstAnswer<=7s', recordOf({ arrivalsNs: [], end: failedEnd('empty') })),
    ).toMatchObject({
      state: 'unknown',
    });
  });

  it('is written as it is read, for a request and for a quantile', () => {
    const text = 'firstAnswer<=5s, attainment>=95%, p99(firstAnswer)<=8s';
    expect(objectiveText(objectiveOf(text))).toBe(text);
  });
});
