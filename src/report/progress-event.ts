/**
 * Progress for machines: one JSON object a line (`--progress json`). Hand-written beside its
 * schema, which `schema/progress.schema.json` is generated from.
 */
import { z } from 'zod';
import { NS_PER_SECOND, printable } from '../base/index.ts';
import type { LiveStatus } from './live-view.ts';

export const PROGRESS_SCHEMA_VERSION = 1;

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const seconds = z.number().min(0);

const standing = {
  point: z.int().min(1).describe('Load point, from 1.'),
  label: z.string(),
  elapsedSeconds: seconds.describe('Since the first start of the point.'),
  offeringSeconds: seconds.describe('Planned length of the offering.'),
  scheduled: count,
  ended: count,
  inFlight: count,
  dropped: count,
  completed: count,
  failed: count,
  timedOut: count,
  refused: count,
  cancelled: count,
  good: count,
  unjudged: count,
  attainment: z
    .strictObject({
      share: share.nullable(),
      low: share.nullable(),
      high: share.nullable(),
      offered: count,
      target: share.nullable(),
    })
    .describe('Of the requests due first, up to the first whose fate is open.'),
};

/** Every line `--progress json` may write. */
export const progressEventSchema = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('planned'),
    schemaVersion: z.literal(PROGRESS_SCHEMA_VERSION),
    requests: count,
    durationSeconds: seconds,
    costUsd: z.number().min(0).nullable(),
    points: z.array(z.strictObject({ label: z.string(), level: z.number() })),
  }),
  z.strictObject({
    event: z.literal('ready'),
    model: z.string().nullable(),
    tokens: z.enum(['usage', 'perEventUsage', 'none']),
  }),
  z.strictObject({ event: z.literal('note'), text: z.string() }),
  z.strictObject({
    event: z.literal('pointStarted'),
    point: z.int().min(1),
    label: z.string(),
    requests: count,
  }),
  z.strictObject({ event: z.literal('progress'), ...standing }),
  z.strictObject({ event: z.literal('pointEnded'), ...standing }),
  z.strictObject({ event: z.literal('summarising') }),
]);

export type ProgressEvent = z.infer<typeof progressEventSchema>;

/** The event as one line, untrusted text made safe to show. */
export function progressEventLine(event: ProgressEvent): string {
  return `${JSON.stringify(event, (_, value: unknown) =>
    typeof value === 'string' ? printable(value, TEXT_LIMIT) : value,
  )}\n`;
}

const TEXT_LIMIT = 1_000;

/** Where a point stands, under the name of its event. */
export function standingEvent(event: 'progress' | 'pointEnded', status: LiveStatus): ProgressEvent {
  const { requests, live } = status;
  const { outcomes, verdicts, attainment, targetShare } = live;
  return {
    event,
    point: status.pointNumber,
    label: status.label,
    elapsedSeconds: status.elapsedNs / NS_PER_SECOND,
    offeringSeconds: status.offeringNs / NS_PER_SECOND,
    ...requests,
    completed: outcomes.completed,
    failed: outcomes.failed,
    timedOut: outcomes.timedOut,
    refused: outcomes.refused,
    cancelled: outcomes.cancelled,
    good: verdicts.good,
    unjudged: verdicts.unjudged,
    attainment: {
      share: attainment.share,
      low: attainment.interval?.low ?? null,
      high: attainment.interval?.high ?? null,
      offered: attainment.offered,
      target: targetShare,
    },
  };
}

/** The schema that `schema/progress.schema.json` publishes. */
export function progressJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(progressEventSchema, { target: 'draft-7', reused: 'ref' }),
    title: 'goodput progress event',
    description:
      'One line of `--progress json` on stderr. Shares are in [0, 1], null means not known.',
  };
}
