/** Freezes everything that shapes a run's result. */
import { contentHash, type JsonValue } from '../base/index.ts';
import { type RunSpec, runSpecYaml } from '../config/index.ts';
import type { HostFacts } from '../host/index.ts';
import {
  type ClientCalibration,
  type ExperimentFacts,
  type Fact,
  type Manifest,
  MANIFEST_SCHEMA_VERSION,
  misfitsOf,
} from '../record/index.ts';
import { redactUrl } from '../store/index.ts';
import { clientTransport } from './client-transport.ts';
import type { RunPlan } from './plan-run.ts';
import type { Preflight } from './preflight.ts';

export interface ManifestInputs {
  readonly spec: RunSpec;
  readonly plan: RunPlan;
  readonly preflight: Preflight;
  readonly host: HostFacts;
  readonly toolVersion: string;
  readonly runId: string;
  readonly startedAt: string;
  /** What is known of this client's error; `null` = nothing. */
  readonly calibration: ClientCalibration | null;
}

/** The manifest before the first load point. */
export function runManifest(inputs: ManifestInputs): Manifest {
  const { spec, plan, preflight, host, toolVersion } = inputs;
  const { node, ...machine } = host;
  const facts = experimentFacts(spec, preflight);
  const { tokens, oneTokenPerEvent, exactOutput, local } = preflight.talk;
  const shaping = {
    target: {
      url: redactUrl(spec.target.url),
      api: spec.target.api,
      stream: spec.target.stream,
    },
    facts,
    counting: { tokens, oneTokenPerEvent, exactOutput, local },
    prefixCache: plan.prefixCache,
    spec: specText(spec),
  };
  const tool = { name: 'goodput', version: toolVersion, node } as const;
  const run = { tool, host: machine, transport: clientTransport(spec.target) };
  const { calibration: client } = inputs;
  return {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    tool,
    experimentHash: contentHash({ ...shaping, version: toolVersion, host: machine }),
    runId: inputs.runId,
    startedAt: inputs.startedAt,
    source: 'measured',
    clock: 'client',
    ...shaping,
    scheduleHashes: plan.points.map(({ schedule }) => schedule.hash),
    seeds: { ...plan.seeds },
    host: machine,
    preflight: preflightJson(preflight),
    simulated: null,
    calibration: client === null ? null : { client, misfits: misfitsOf(client, run) },
    points: [],
  };
}

/** The spec as a run file that anybody may read: no credentials in URLs, no header values. */
export function specText(spec: RunSpec): string {
  const { target } = spec;
  const headers = Object.fromEntries(Object.keys(target.headers).map((name) => [name, 'redacted']));
  return runSpecYaml({
    ...spec,
    out: null,
    metrics: { ...spec.metrics, endpoints: spec.metrics.endpoints.map(shownEndpoint) },
    target: {
      ...target,
      url: redactUrl(target.url),
      headers,
      proxy: target.proxy === null ? null : redactUrl(target.proxy),
    },
  });
}

function shownEndpoint(endpoint: string): string {
  return endpoint === 'auto' ? endpoint : redactUrl(endpoint);
}

/** Measured where the system tells, declared by the user else, or unknown. */
function experimentFacts(spec: RunSpec, preflight: Preflight): ExperimentFacts {
  const facts = declaredFacts(spec);
  const measured = (value: JsonValue | null): Fact | null =>
    value === null ? null : { from: 'measured', value };
  return {
    ...facts,
    model: measured(preflight.talk.model) ?? facts.model,
    serverVersion: measured(preflight.identity.version) ?? facts.serverVersion,
    tokenizer: facts.tokenizer.from === 'unknown' ? localTokenizer(preflight) : facts.tokenizer,
  };
}

/** Whoever names a tokenizer to count with says that it is the model's. */
function localTokenizer({ talk: { local } }: Preflight): Fact {
  if (local === null) return { from: 'unknown' };
  return { from: 'declared', value: `${local.tokenizer} (SHA-256 ${local.sha256.slice(0, 12)}…)` };
}

/** What the user says of the target, `unknown` where nothing is said. */
export function declaredFacts(spec: RunSpec): ExperimentFacts {
  const declared = (name: keyof ExperimentFacts): Fact => {
    const value = spec.declare[name];
    return value === undefined ? { from: 'unknown' } : { from: 'declared', value };
  };
  const sampling = Object.fromEntries(
    Object.entries(spec.target.body).filter(([name]) => SAMPLING_FIELDS.has(name)),
  );
  return {
    model: declared('model'),
    checkpointHash: declared('checkpointHash'),
    precision: declared('precision'),
    serverCommit: declared('serverCommit'),
    serverVersion: declared('serverVersion'),
    gpu: declared('gpu'),
    driver: declared('driver'),
    tokenizer: declared('tokenizer'),
    cacheState: declared('cacheState'),
    sampling:
      Object.keys(sampling).length > 0
        ? { from: 'declared', value: sampling }
        : declared('sampling'),
  };
}

const SAMPLING_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'repetition_penalty',
]);

function preflightJson(preflight: Preflight): JsonValue {
  const { identity, answer, failure, limits, calibration, fit, exactOutputWorks } = preflight;
  const plain = {
    models: identity.models,
    version: identity.version,
    roundTripNs: identity.roundTripNs,
    answer,
    failure,
    limits,
    // The words of prompts are as many as the vocabulary is large: its name stands for them.
    calibration: calibration === null ? null : { ...calibration, words: undefined },
    tokenizer: fit,
    exactOutputWorks,
  };
  return JSON.parse(JSON.stringify(plain)) as JsonValue;
}
