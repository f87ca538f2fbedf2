import { Ajv } from 'ajv';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf, summaryOf } from '../../test/support/summary-builder.ts';
import { nsFromSeconds } from '../base/index.ts';
import { summaryJsonSchema, summarySchema } from './summary-schema.ts';
import type { Summary } from './summary.ts';

/** Readonly all the way down, as the interfaces are. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

const validate = new Ajv({ allErrors: true, strict: true }).compile(summaryJsonSchema());

const FULL = summaryOf(
  [
    recordOf({ scheduleIndex: 0, oneTokenPerEvent: true, inFlightAtDispatch: 1 }),
    recordOf({ scheduleIndex: 1, plannedNs: nsFromSeconds(5), dropped: 'ceiling' }),
    recordOf({ scheduleIndex: 2, plannedNs: nsFromSeconds(6), end: failedEnd('httpStatus') }),
    recordOf({ scheduleIndex: 3, notReached: true, plannedNs: nsFromSeconds(20) }),
  ],
  {
    points: [pointOf({ steadyFromNs: nsFromSeconds(4) })],
    objective: objectiveOf(
      'ttft[0-1k]<=1s, ttft[1k+]<=2s, tpot<=40ms, gap<=1s, gap[p99]<=1s, e2e<=9s, output<=99, ' +
        'attainment>=95%, success>=99%, p99(ttft)<=1s, worst(tenant)>=90%, period=30d',
    ),
  },
);

describe('the schema of a summary', () => {
  it('has the type of the interface, both ways', () => {
    expectTypeOf<Frozen<z.infer<typeof summarySchema>>>().toExtend<Summary>();
    expectTypeOf<Summary>().toExtend<Frozen<z.infer<typeof summarySchema>>>();
  });

  it.each([
    ['full', FULL],
    ['without records', summaryOf([])],
    ['without points', summaryOf([], { points: [] })],
  ])('accepts a summary %s, as it is read back from disk', (_, summary) => {
    const read: unknown = JSON.parse(JSON.stringify(summary));
    validate(read);
    expect(validate.errors ?? []).toEqual([]);
    expect(summarySchema.parse(read)).toEqual(summary);
  });

  it('refuses what a summary does not have, and a missing part', () => {
    expect(validate({ ...FULL, extra: 1 })).toBe(false);
    expect(validate({ ...FULL, verdict: 'fine' })).toBe(false);
    expect(validate({ ...FULL, validity: undefined })).toBe(false);
  });

  it('says what it is', () => {
    expect(summaryJsonSchema()).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'goodput summary',
      additionalProperties: false,
    });
  });
});
