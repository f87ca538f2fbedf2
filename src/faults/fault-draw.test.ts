import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NAMED_FAULTS } from './fault.ts';
import { FaultDraw, type FaultyRequest } from './fault-draw.ts';
import {
  ANY_REQUEST,
  faultShare,
  joinScripts,
  NO_FAULTS,
  restartsOverlap,
  stepFactorAt,
  type FaultRule,
} from './fault-script.ts';

const request = (number: number, facts: Partial<FaultyRequest> = {}): FaultyRequest => ({
  number,
  sinceStartNs: 0,
  api: 'chat',
  streamed: true,
  ...facts,
});

const rule = (name: string, given: Partial<FaultRule>): FaultRule => ({
  name,
  match: ANY_REQUEST,
  pick: { kind: 'all' },
  fault: NAMED_FAULTS.gzip,
  ...given,
});

function drawn(rules: readonly FaultRule[], requests: readonly FaultyRequest[], seed = 1) {
  const draw = new FaultDraw(rules, seed);
  return requests.map((one) => draw.draw(one)?.name ?? null);
}

test('the first rule that fits and picks has the request', () => {
  const rules = [
    rule('third', { pick: { kind: 'every', n: 3 } }),
    rule('whole', { match: { ...ANY_REQUEST, streamed: false } }),
    rule('completions', { match: { ...ANY_REQUEST, api: 'completions' } }),
    rule('two to four', { match: { ...ANY_REQUEST, firstRequest: 2, lastRequest: 4 } }),
    rule('late', { match: { ...ANY_REQUEST, window: { fromNs: 10, toNs: 20 } } }),
  ];
  expect(
    drawn(rules, [
      request(1),
      request(2),
      request(3),
      request(4),
      request(5),
      request(6, { api: 'completions', streamed: false }),
      request(7, { api: 'completions', streamed: false }),
      request(8, { api: 'completions' }),
      request(9, { sinceStartNs: 9 }),
      request(10, { sinceStartNs: 10 }),
      request(11, { sinceStartNs: 20 }),
    ]),
  ).toEqual([
    null,
    'two to four',
    'third',
    'two to four',
    null,
    'third',
    'whole',
    'completions',
    'third',
    'late',
    null,
  ]);
});

test('a rule with `every` counts only what fits it and met nothing before', () => {
  const rules = [
    rule('first', { match: { ...ANY_REQUEST, lastRequest: 1 } }),
    rule('second whole', {
      match: { ...ANY_REQUEST, streamed: false },
      pick: { kind: 'every', n: 2 },
    }),
  ];
  const whole = { streamed: false };
  expect(
    drawn(rules, [request(1, whole), request(2), request(3, whole), request(4, whole)]),
  ).toEqual(['first', null, null, 'second whole']);
});

test('a fault of streams leaves whole answers to the next rule', () => {
  const rules = [rule('split', { fault: NAMED_FAULTS.splitReads }), rule('gzip', {})];
  expect(drawn(rules, [request(1), request(2, { streamed: false })])).toEqual(['split', 'gzip']);
});

test('shares add up, whatever the seed: 10 % and 20 % break 30 % of the requests', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const requests = Array.from({ length: 2_000 }, (_, at) => request(at + 1));
      const names = drawn([faultShare('reset', 0.1), faultShare('hang', 0.2)], requests, seed);
      const share = (name: string | null): number =>
        names.filter((one) => one === name).length / names.length;
      // Six standard deviations of a binomial share of 2,000.
      expect(Math.abs(share('reset') - 0.1)).toBeLessThan(0.041);
      expect(Math.abs(share('hang') - 0.2)).toBeLessThan(0.054);
      expect(drawn([faultShare('reset', 0.1), faultShare('hang', 0.2)], requests, seed)).toEqual(
        names,
      );
    }),
    { numRuns: 20 },
  );
  expect(drawn([faultShare('reset', 1), faultShare('hang', 1)], [request(1)])).toEqual(['reset']);
});

test('the first slow stretch that fits counts', () => {
  const slowSteps = [
    { fromNs: 10, toNs: 20, factor: 3 },
    { fromNs: 15, toNs: null, factor: 2 },
  ];
  const factors = [9, 10, 19, 20, 1e12].map((at) => stepFactorAt({ ...NO_FAULTS, slowSteps }, at));
  expect(factors).toEqual([1, 3, 3, 2, 2]);
});

test('restarts of joined scripts are in order of time, and may touch but not overlap', () => {
  const restarts = (fromNs: number, toNs: number) => ({
    ...NO_FAULTS,
    restarts: [{ fromNs, toNs }],
  });
  const touching = joinScripts([restarts(20, 30), restarts(10, 20)]);
  expect(touching.restarts.map(({ fromNs }) => fromNs)).toEqual([10, 20]);
  expect(restartsOverlap(touching)).toBe(false);
  expect(restartsOverlap(joinScripts([restarts(10, 20), restarts(19, 30)]))).toBe(true);
});
