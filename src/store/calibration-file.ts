/** Reads what `goodput doctor` wrote, alone in a file or inside a manifest. */
import * as z from 'zod';
import { type Problem, printable } from '../base/index.ts';
import {
  CALIBRATION_SCHEMA_VERSION,
  type ClientCalibration,
  type RunCalibration,
} from '../record/index.ts';

const spans = z.object({
  sampleCount: z.int().min(0),
  p50Ns: z.number().nullable(),
  p99Ns: z.number().nullable(),
  maxNs: z.number().nullable(),
});
const load = z.object({
  streamCount: z.number().min(0),
  chunksRps: z.number().min(0),
  startsRps: z.number().min(0),
});

const clientCalibration: z.ZodType<ClientCalibration> = z.object({
  kind: z.literal('clientCalibration'),
  schemaVersion: z.literal(CALIBRATION_SCHEMA_VERSION),
  measuredAt: z.string(),
  tool: z.object({ name: z.literal('goodput'), version: z.string(), node: z.string() }),
  host: z.object({
    cpus: z.number(),
    cpuModel: z.string(),
    memoryBytes: z.number(),
    os: z.string(),
  }),
  transport: z.object({ name: z.enum(['fast', 'compat']), tls: z.boolean(), http2: z.boolean() }),
  api: z.string(),
  planned: load,
  reached: load,
  burst: z.boolean(),
  stampAge: spans,
  calmStampAge: spans,
  lateness: spans,
  chunkCpuNs: z.number().nullable(),
  loopUtilisationShare: z.number().min(0).max(1),
  roomChunksRps: z.number().nullable(),
  serverLateness: spans,
});

/** As a manifest holds it. */
export const runCalibrationShape: z.ZodType<RunCalibration> = z.object({
  client: clientCalibration,
  misfits: z.array(z.enum(['machine', 'node', 'transport', 'version'])),
});

const ofSomeVersion = z.object({ kind: z.literal('clientCalibration'), schemaVersion: z.number() });

/** The calibration in `text`, or everything that is wrong with it (`E_CALIBRATION_FORMAT`). */
export function parseCalibration(
  text: string,
  file: string,
): ClientCalibration | readonly Problem[] {
  const problem = (message: string, hint: string | null): Problem => ({
    code: 'E_CALIBRATION_FORMAT',
    message,
    hint,
    place: { file, line: 1, column: 1 },
  });
  const value = parseJson(text);
  const known = ofSomeVersion.safeParse(value);
  if (!known.success) {
    return [problem('this is not what `goodput doctor` writes', 'measure it: goodput doctor')];
  }
  const { schemaVersion } = known.data;
  if (schemaVersion !== CALIBRATION_SCHEMA_VERSION) {
    const message = `the calibration is of format ${schemaVersion}, and this version reads ${CALIBRATION_SCHEMA_VERSION}`;
    return [problem(message, 'measure it again: goodput doctor')];
  }
  const parsed = clientCalibration.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map((issue) =>
    problem(printable(`${issue.path.map(String).join('.')}: ${issue.message}`), null),
  );
}

/** `null` when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
