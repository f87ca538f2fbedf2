/** Reads a manifest from text that anyone may have written. */
import * as z from 'zod';
import { type JsonValue, type Problem, printable } from '../base/index.ts';
import { type Fact, type Manifest, MANIFEST_SCHEMA_VERSION } from '../record/index.ts';
import { runCalibrationShape } from './calibration-file.ts';

const json: z.ZodType<JsonValue> = z.json();

const fact: z.ZodType<Fact> = z.discriminatedUnion('from', [
  z.object({ from: z.enum(['measured', 'declared']), value: json }),
  z.object({ from: z.literal('unknown') }),
]);

const processEvidence = z.object({
  requestCount: z.int(),
  loopUtilisationShare: z.number().nullable(),
  loopStallMaxNs: z.number().nullable(),
  hostStallMaxNs: z.number().nullable(),
  connectionCount: z.int().nullable(),
  lost: z.string().nullable(),
});

const point = z.object({
  index: z.int().min(0),
  kind: z.enum(['rate', 'concurrency', 'users', 'sessions', 'trace']),
  level: z.number(),
  label: z.string(),
  closedLoop: z.boolean(),
  offeredRps: z.number().nullable(),
  steadyFromNs: z.int().nullable(),
  stopNs: z.int(),
  partial: z.boolean(),
  stopReason: z.string(),
  // Runs of earlier versions tell neither this nor their stalls.
  recordCount: z.int().min(0).nullable().default(null),
  generator: z
    .object({
      loopUtilisationShare: z.number(),
      loopStallMaxNs: z.number(),
      hostStallCount: z.int(),
      hostStallMaxNs: z.number(),
      stalls: z
        .array(z.object({ fromNs: z.number(), toNs: z.number(), cause: z.enum(['loop', 'host']) }))
        .default([]),
      unlistedStallMaxNs: z.number().default(0),
      connectionCount: z.int(),
      connectionsInLoad: z
        .object({
          allBusy: z.int(),
          serverClosed: z.int(),
          idleEnded: z.int(),
          givenUp: z.int(),
        })
        .optional(),
      processes: z.array(processEvidence).optional(),
    })
    .nullable(),
});

const manifest: z.ZodType<Manifest> = z.object({
  schemaVersion: z.literal(MANIFEST_SCHEMA_VERSION),
  tool: z.object({ name: z.literal('goodput'), version: z.string(), node: z.string() }),
  experimentHash: z.string(),
  runId: z.string(),
  startedAt: z.string(),
  // Runs written before anything was simulated do not say.
  source: z.enum(['measured', 'simulated', 'imported']).default('measured'),
  clock: z.enum(['client', 'edge', 'server']).default('client'),
  target: z.object({ url: z.string(), api: z.string(), stream: z.boolean() }),
  facts: z.object({
    model: fact,
    checkpointHash: fact,
    precision: fact,
    serverCommit: fact,
    serverVersion: fact,
    gpu: fact,
    driver: fact,
    tokenizer: fact,
    cacheState: fact,
    sampling: fact,
  }),
  counting: z.object({
    tokens: z.enum(['usage', 'perEventUsage', 'none']),
    oneTokenPerEvent: z.boolean(),
    exactOutput: z.boolean(),
    // Of runs before there were local tokenizers.
    local: z
      .object({
        tokenizer: z.string(),
        sha256: z.string(),
        reader: z.string(),
        judged: z.boolean(),
      })
      .nullable()
      .default(null),
  }),
  prefixCache: z.string(),
  spec: json,
  scheduleHashes: z.array(z.string()),
  seeds: z.record(z.string(), z.number()),
  host: z.object({
    cpus: z.number(),
    cpuModel: z.string(),
    memoryBytes: z.number(),
    os: z.string(),
  }),
  preflight: json,
  simulated: json.default(null),
  calibration: runCalibrationShape.nullable().default(null),
  points: z.array(point),
});

const ours = z.object({ tool: z.object({ name: z.literal('goodput') }) });

/** Whether the text says it is a manifest of ours, whatever its version and soundness. */
export function isOurManifest(text: string): boolean {
  return ours.safeParse(parseJson(text)).success;
}

/** The manifest in `text`, or everything that is wrong with it (`E_RUN_FORMAT`). */
export function parseManifest(text: string, file: string): Manifest | readonly Problem[] {
  const problem = (message: string, hint: string | null = null): Problem => ({
    code: 'E_RUN_FORMAT',
    message,
    hint,
    place: { file, line: 1, column: 1 },
  });
  if (!isOurManifest(text)) {
    return [problem('this is not the manifest of a goodput run', NOT_A_RUN_HINT)];
  }
  const value = parseJson(text);
  const { schemaVersion } = value as { readonly schemaVersion?: unknown };
  if (typeof schemaVersion === 'number' && schemaVersion > MANIFEST_SCHEMA_VERSION) {
    return [
      problem(
        `the run is of format ${schemaVersion}, and this version reads up to ${MANIFEST_SCHEMA_VERSION}`,
        'read it with the version of goodput that wrote it, or a later one',
      ),
    ];
  }
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map((issue) =>
    problem(printable(`${issue.path.map(String).join('.')}: ${issue.message}`)),
  );
}

export const NOT_A_RUN_HINT = 'give the folder that `goodput run` wrote';

/** `null` when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
