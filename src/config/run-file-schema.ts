/**
 * The run file as keys: the one validator of YAML and flags, and the source of the JSON Schema and
 * of docs/config.md. Its output is typed values by key; `resolve-run-spec.ts` makes the spec.
 */
import { z } from 'zod';
import { checkList } from './check-schema.ts';
import { hypothesisSection } from './hypothesis-schema.ts';
import { loadSection } from './load-schema.ts';
import { metricsEndpoints } from './metrics-schema.ts';
import { objectiveKeys } from './objective-schema.ts';
import { retrySection } from './retry-schema.ts';
import {
  count,
  duration,
  durationFault,
  expects,
  mapping,
  nonNegativeNumber,
  positiveNumber,
  share,
  text,
  wholeNumber,
} from './scalars.ts';
import { serviceSection } from './service-schema.ts';
import { jsonRecord, targetSection } from './target-schema.ts';
import { workloadSection } from './workload-schema.ts';

const seed = wholeNumber('a whole number', '7', 0);
const price = nonNegativeNumber('a price in USD per million tokens', '0.5');

const seedKeys = mapping({
  arrivals: seed.prefault(1),
  lengths: seed.prefault(1),
  prompts: seed.prefault(1),
});

const budgetSection = mapping({
  maxRequests: count.optional().describe('Most requests, all points together.'),
  maxTokens: count.optional().describe('Most output tokens, all points together.'),
  maxCost: positiveNumber('an amount in USD', '5')
    .optional()
    .describe('Most money in USD, by the two prices.'),
  inputPrice: price.optional().describe('USD per million input tokens.'),
  outputPrice: price.optional().describe('USD per million output tokens.'),
  maxInFlight: count
    .optional()
    .describe(
      'Ceiling on requests in flight; arrivals above it are dropped and counted. Default 1024, ' +
        'or the largest closed-loop level if that is more.',
    ),
});

/** The keys of a run file, without the check for unknown ones at the top: one schema per section. */
export const RUN_SECTIONS = {
  name: text.optional().describe('Name of the experiment.'),
  target: targetSection.describe('The service under test.'),
  workload: workloadSection.prefault({}).describe('What is asked. Default: synthetic prompts.'),
  load: loadSection.prefault({}).describe('How requests are released, and at which levels.'),
  duration: duration('above0', '60s')
    .prefault('60s')
    .describe('Length of each load point; in trace time, before scaling, for a replay.'),
  requests: count.optional().describe('End each point after this many requests, if sooner.'),
  warmup: duration('any', '10s')
    .prefault('0s')
    .describe('First part of each point’s duration, reported apart.'),
  drain: z
    .union([z.literal('cancel'), duration('above0', '30s or cancel')], {
      error: ({ input }) => durationFault(String(input), '30s or cancel'),
    })
    .prefault('30s')
    .describe('Wait this long for open answers at the end of a point, or `cancel` them at once.'),
  retry: retrySection
    .optional()
    .describe(
      'Try failed requests again: a number of tries, `attempts=3,on=429|5xx,base=500ms`, or keys. Left ' +
        'out: every request is sent once.',
    ),
  latenessLimit: duration('above0', '100ms')
    .optional()
    .describe('Drop an arrival that is later than this. Left out: send it late, record how late.'),
  processes: z
    .union(
      [z.literal('auto'), wholeNumber('a whole number', '2')],
      expects('a number of processes', 'write auto or 2'),
    )
    .prefault('auto')
    .describe(
      'Processes of this machine that send a load point: a number, or `auto`, as many as the load is ' +
        'estimated to need.',
    ),
  seed: z
    .union([seed, seedKeys], expects('a whole number', 'write 7'))
    .prefault(1)
    .describe('Seed of every random draw, or one each for `arrivals`, `lengths` and `prompts`.'),
  slo: z
    .union(
      [z.string(), objectiveKeys],
      expects('an objective', 'write ttft<=500ms, attainment>=95%'),
    )
    .optional()
    .describe(
      'The objective: an expression, the name of a preset, `@FILE.yaml`, or the keys under `slo.` ' +
        'below. Left out: results without a verdict.',
    ),
  checks: checkList
    .default([])
    .describe('Checks of the answer text, made in memory; only pass or fail is kept.'),
  metrics: metricsEndpoints
    .default([])
    .describe(
      "URL of an engine's `/metrics` to look at before, during and after each load point, or `auto` " +
        'for that of the target; several are added up. `goodput run` only.',
    ),
  metricsEvery: duration('above0', '5s')
    .prefault('5s')
    .describe('Time between looks at `metrics`.'),
  traceShare: share
    .optional()
    .describe(
      'Share of requests, drawn by the seed, that carry a W3C `traceparent` with the sampled flag, so ' +
        'that servers record a span of each. Left out: none. A load test only.',
    ),
  budget: budgetSection.prefault({}).describe('Bounds of the whole run.'),
  hypothesis: hypothesisSection
    .optional()
    .describe('What is expected of a change; `goodput compare` answers it.'),
  service: serviceSection
    .prefault({})
    .describe('What `goodput simulate` serves by, as its flags; a load test does not look here.'),
  declare: jsonRecord.default({}).describe('Facts the system does not tell, e.g. `gpu: 8xH100`.'),
  out: text.optional().describe('Folder for the results.'),
} as const;

/** The whole run file. */
export const runFile = mapping(RUN_SECTIONS);

/** The validated keys of a run file. */
export type RunFile = z.output<typeof runFile>;

/** Sections that could be read, when others could not. */
export type ReadSections = { readonly [Key in keyof RunFile]?: RunFile[Key] };
