/** A schedule is a function of its source, shape and seeds; each seed moves its own part only. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  makePrompt,
  planSchedule,
  seedsOfPoint,
  UNCALIBRATED,
  type LoadShape,
  type PromptSource,
  type Schedule,
  type ScheduledRequest,
  type ScheduleSeeds,
} from '../../src/workload/index.ts';

const SEED = fc.integer({ min: 0, max: 2 ** 31 });
const SEEDS = fc.record({ arrivals: SEED, lengths: SEED, prompts: SEED, text: SEED });

const SOURCE: PromptSource = {
  kind: 'synthetic',
  input: { kind: 'lognormal', median: 300, sigma: 1, min: 8, max: 4_000 },
  output: { kind: 'uniform', min: 1, max: 400 },
  prefix: { kind: 'unique' },
};

const OPEN: LoadShape = {
  kind: 'rate',
  rateRps: 20,
  arrivals: { kind: 'poisson' },
  durationNs: 5e9,
  maxRequests: 60,
};

function plan(
  seeds: ScheduleSeeds,
  source: PromptSource = SOURCE,
  shape: LoadShape = OPEN,
): Schedule {
  return planSchedule({ source, shape, seeds });
}

/** Both schedules agree in this part of every request, as far as the shorter goes. */
function expectSame(
  a: Schedule,
  b: Schedule,
  select: (request: ScheduledRequest) => unknown,
): void {
  const count = Math.min(a.requests.length, b.requests.length);
  expect(b.requests.slice(0, count).map(select)).toEqual(a.requests.slice(0, count).map(select));
}

const release = (r: ScheduledRequest): unknown => r.release;
const lengths = (r: ScheduledRequest): unknown => [r.promptTokens, r.outputTokensMax];
const text = (r: ScheduledRequest): unknown => (r.prompt.kind === 'synthetic' ? r.prompt.seed : 0);

test('same inputs, same schedule and hash; another seed, another hash', () => {
  fc.assert(
    fc.property(SEEDS, fc.constantFrom('arrivals', 'lengths', 'text'), (seeds, name) => {
      const schedule = plan(seeds);
      expect(plan({ ...seeds })).toEqual(schedule);
      expect(plan({ ...seeds, [name]: seeds[name] + 1 }).hash).not.toBe(schedule.hash);
    }),
    { numRuns: 30 },
  );
});

test('each seed moves its own part and nothing else', () => {
  fc.assert(
    fc.property(SEEDS, (seeds) => {
      const base = plan(seeds);
      const otherArrivals = plan({ ...seeds, arrivals: seeds.arrivals + 1 });
      const otherLengths = plan({ ...seeds, lengths: seeds.lengths + 1 });
      const otherText = plan({ ...seeds, text: seeds.text + 1 });
      expectSame(base, otherArrivals, lengths);
      expectSame(base, otherArrivals, text);
      expectSame(base, otherLengths, release);
      expectSame(base, otherLengths, text);
      expectSame(base, otherText, release);
      expectSame(base, otherText, lengths);
    }),
    { numRuns: 30 },
  );
});

test('changing one length distribution leaves the other, the arrivals and the texts', () => {
  fc.assert(
    fc.property(SEEDS, (seeds) => {
      const fixedInput = { ...SOURCE, input: { kind: 'fixed', tokens: 77 } } as PromptSource;
      expectSame(plan(seeds), plan(seeds, fixedInput), (r) => [
        r.outputTokensMax,
        text(r),
        release(r),
      ]);
    }),
    { numRuns: 20 },
  );
});

test('a longer duration only adds requests at the end', () => {
  fc.assert(
    fc.property(SEEDS, fc.integer({ min: 1, max: 5 }), (seeds, factor) => {
      const short = { ...OPEN, maxRequests: null } as LoadShape;
      const long = { ...short, durationNs: 5e9 * factor };
      const { requests } = plan(seeds, SOURCE, short);
      expect(plan(seeds, SOURCE, long).requests.slice(0, requests.length)).toEqual(requests);
    }),
    { numRuns: 20 },
  );
});

test('every arrival is due before the stop, in order', () => {
  const arrivals = fc.oneof(
    fc.constant({ kind: 'constant' } as const),
    fc.constant({ kind: 'poisson' } as const),
    fc.record({
      kind: fc.constant('gamma' as const),
      cv: fc.double({ min: 0.2, max: 8, noNaN: true }),
    }),
  );
  const maxRequests = fc.option(fc.integer({ min: 1, max: 50 }));
  fc.assert(
    fc.property(SEEDS, arrivals, maxRequests, (seeds, process, limit) => {
      const shape = { ...OPEN, arrivals: process, maxRequests: limit } as LoadShape;
      const { requests, stopNs } = plan(seeds, SOURCE, shape);
      let previousNs = 0;
      for (const { release } of requests) {
        if (release.kind !== 'at') throw new Error('open loops release by instant');
        expect(release.atNs).toBeGreaterThanOrEqual(previousNs);
        expect(release.atNs).toBeLessThan(stopNs);
        previousNs = release.atNs;
      }
    }),
  );
});

test('users: every chain goes back to the start through its own user', () => {
  fc.assert(
    fc.property(SEEDS, fc.integer({ min: 1, max: 9 }), (seeds, users) => {
      const think = { kind: 'exponential', meanNs: 1e9 } as const;
      const shape = { kind: 'users', users, think, durationNs: 9e9, maxRequests: 40 } as const;
      const { requests } = plan(seeds, SOURCE, shape);
      for (const { index, release, session } of requests) {
        if (release.kind !== 'after') throw new Error('users release after an answer');
        if (release.index === null) expect(index).toBeLessThan(users);
        else expect(requests[release.index]?.session).toBe(session);
        expect(Number.isSafeInteger(release.thinkNs) && release.thinkNs >= 0).toBe(true);
      }
      expect(new Set(requests.map(({ session }) => session)).size).toBe(users);
    }),
    { numRuns: 30 },
  );
});

test('no two prompts of a run, of its points, or of another run start alike', () => {
  const starts = new Set<string>();
  let prompts = 0;
  for (const text of [1, 2]) {
    for (const point of [0, 1, 2]) {
      const seeds = seedsOfPoint({ arrivals: 1, lengths: 1, prompts: 1, text }, point);
      for (const request of plan(seeds).requests) {
        const content = makePrompt(request.prompt, SOURCE, UNCALIBRATED);
        if (content.kind !== 'text') throw new Error('synthetic prompts are text');
        starts.add(content.text.split(' ').slice(0, 6).join(' '));
        prompts += 1;
      }
    }
  }
  expect(starts.size).toBe(prompts);
});

test('the hash does not change between versions', () => {
  // Old reports name their schedules by hash. If this fails on purpose, say so in CHANGELOG.md.
  const { hash } = plan({ arrivals: 1, lengths: 2, prompts: 3, text: 3 });
  expect(hash).toMatchInlineSnapshot(
    `"ed733fb285131e5e9e30f983afa1327e8a2027361dc285dd664c8a1f407eb1ac"`,
  );
});

test('the hash covers the prompt texts that recipes only point to', () => {
  const withText = (value: string): PromptSource => ({
    kind: 'prompts',
    path: 'p.txt',
    entries: [{ text: value, promptTokens: null, outputTokens: null, label: null }],
    output: { kind: 'fixed', tokens: 5 },
    order: 'sequential',
    prefix: { kind: 'asGiven' },
  });
  const seeds = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };
  expect(plan(seeds, withText('a')).hash).not.toBe(plan(seeds, withText('b')).hash);
});
