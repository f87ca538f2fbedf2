/**
 * The `service` section: what `goodput simulate` serves by. Each key is the flag of the same name,
 * and holds the same text; a flag on the command line goes before it.
 */
import { z } from 'zod';
import {
  count,
  duration,
  expects,
  flag,
  mapping,
  oneOf,
  positiveNumber,
  share,
  text,
} from './scalars.ts';

/** A value that `schema` can read, kept as it is written. */
function written(schema: z.ZodType, meaning: string) {
  return z
    .union([z.string(), z.number()], expects('one value', 'write it as on the command line'))
    .superRefine((value, context) => {
      const issue = schema.safeParse(value).error?.issues[0];
      if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
    })
    .transform(String)
    .optional()
    .describe(meaning);
}

const factor = positiveNumber('a number above 0', '1.05');
const span = duration('above0', '15s');
const metricTarget = z
  .string(expects('a metric and its target', 'write in-flight:8'))
  .regex(/^[a-z-]+:[\d.]+$/, 'is not a metric and its target\nwrite in-flight:8');
const bandwidth = z
  .string(expects('a rate of bytes', 'write 25GB/s'))
  .regex(/^(?:unlimited|[\d.]+[MGT]B\/s)$/, 'is not a rate of bytes\nwrite 25GB/s or unlimited');

/** Keys whose values are paths, beside `@FILE` in the devices. */
export const SERVICE_PATHS = ['config', 'fit'] as const;

/** Keys whose values are names, or `@` and a path. */
export const SERVICE_NAMES_OR_PATHS = ['device', 'decodeDevice', 'stepCost'] as const;

export const serviceSection = mapping({
  tokenBudget: written(count, 'Most tokens computed in a step (512).'),
  maxSequences: written(count, 'Most requests in a step (256).'),
  maxWaiting: written(count, 'Most requests waiting; more get 503.'),
  maxModelTokens: written(count, 'Longest prompt and answer.'),
  longPrefillThreshold: written(count, 'Most tokens of one prompt in a step.'),
  kvBlocks: written(count, 'Blocks of KV memory per replica.'),
  blockSize: written(count, 'Tokens a block holds (16).'),
  prefixCaching: flag.optional().describe('Whether the blocks of earlier prompts are found again.'),
  reserveFullPrompt: flag
    .optional()
    .describe('Whether a prompt starts only when all its blocks are free (`true`).'),
  asyncScheduling: flag
    .optional()
    .describe('Whether a step is planned while the one before it runs, as vLLM does (`false`).'),
  queueTimeout: written(span, 'Who waited so long is turned away (503).'),
  policy: oneOf(['fcfs', 'priority']).optional().describe('Who goes first (`fcfs`).'),
  replicas: written(count, 'Engines behind the router (1).'),
  router: oneOf(['round-robin', 'least-outstanding', 'prefix-affine'])
    .optional()
    .describe('Which replica a request goes to (`round-robin`).'),
  device: written(text, 'Device of a replica: a name, or `@FILE` of a sheet.'),
  config: written(text, 'File: config.json of the model.'),
  fit: written(text, 'File: what `goodput fit --format json` printed.'),
  stepCost: written(text, 'Measured step costs: `affine:FILE.yaml` or `table:FILE.csv`.'),
  tensorParallel: written(count, 'Devices that every layer is split over (1).'),
  speedScale: written(factor, 'Factor on every step time (1).'),
  decodeReplicas: written(count, 'Replicas that only decode; `replicas` then only prefill.'),
  decodeMaxSequences: written(count, 'Most requests in a step of a decode replica.'),
  decodeKvBlocks: written(count, 'Blocks of KV memory of a decode replica.'),
  decodeDevice: written(text, 'Device of a decode replica.'),
  decodeTensorParallel: written(count, 'Devices of a decode replica.'),
  firstToken: oneOf(['prefill', 'decode'])
    .optional()
    .describe('Whose token the user sees first (`prefill`).'),
  transferBandwidth: written(bandwidth, 'Out of a prefill replica: `25GB/s`, or `unlimited`.'),
  transferLatency: written(duration('any', '2ms'), 'Of every KV transfer (0s).'),
  kvBytesPerToken: written(factor, 'KV bytes of a token on all devices together.'),
  autoscale: written(metricTarget, '`in-flight:8`, `waiting:2` or `arrivals:1.5` per replica.'),
  minReplicas: written(count, 'Fewest replicas (1).'),
  maxReplicas: written(count, 'Most replicas.'),
  scaleInterval: written(span, 'Between two evaluations (15s).'),
  scaleDownWindow: written(duration('any', '5m'), 'How long fewer must do first (5m).'),
  scaleTolerance: written(z.union([z.literal([0, '0']), share]), 'Of the target (0.1).'),
  provisionDelay: written(duration('any', '90s'), 'From ordering a replica to its first request.'),
});

/** Every key of the section. */
export const SERVICE_KEYS: readonly string[] = Object.keys(serviceSection.shape);

/** Flags of `goodput simulate`, by name, as a run file sets them. */
export type ServiceKeys = Readonly<Record<string, string | boolean>>;
