/** Validated keys → the resolved spec. Every default that depends on another key is here. */
import { dirname, isAbsolute, join } from 'node:path';
import { assert, assertNever, InvariantError } from '../base/index.ts';
import { type AnswerCheck } from '../slo/index.ts';
import { DIALECTS } from '../wire/index.ts';
import { fittedObjective, type ReadObjective } from './fitted-objective.ts';
import { DEFAULT_INPUT, DEFAULT_OUTPUT } from './class-schema.ts';
import { loadKindOf, workloadKindOf } from './exclusive-keys.ts';
import type { KeyPath, Written } from './key-path.ts';
import { quotaSpec } from './quota-schema.ts';
import { retryPolicy } from './retry-schema.ts';
import type { RunFile } from './run-file-schema.ts';
import type { BudgetSpec, LoadSpec, RunSpec, TargetSpec, WorkloadSpec } from './run-spec.ts';
import { SERVICE_NAMES_OR_PATHS, SERVICE_PATHS, type ServiceKeys } from './service-schema.ts';
import type { Environment } from './substitute-env.ts';
import { readUnixUrl } from './unix-url.ts';

const DEFAULT_MAX_IN_FLIGHT = 1024;
const DEFAULT_FOLLOW_UP = { kind: 'fixed', tokens: 128 } as const;

/** Makes the spec from keys that passed the schema and every check. */
export function assembleRunSpec(
  keys: RunFile,
  read: ReadObjective | null,
  written: Written,
  env: Environment,
): RunSpec {
  const workload = workloadSpec(keys, written);
  const load = loadSpec(keys, written);
  const seeds =
    typeof keys.seed === 'number'
      ? { arrivals: keys.seed, lengths: keys.seed, prompts: keys.seed }
      : keys.seed;
  const checks = [...(keys.checks as AnswerCheck[])];
  for (const check of read?.objective.request.correctness.checks ?? []) {
    if (!checks.some(({ name }) => name === check.name)) checks.push(check);
  }
  return {
    name: keys.name ?? null,
    target: targetSpec(keys, written, env),
    workload,
    load,
    durationNs: keys.duration,
    requests: keys.requests ?? null,
    warmupNs: keys.warmup,
    atEnd:
      keys.drain === 'cancel'
        ? { kind: 'cancel', limitNs: 0 }
        : { kind: 'drain', limitNs: keys.drain },
    latenessLimitNs: keys.latenessLimit ?? null,
    processes: keys.processes === 'auto' ? null : keys.processes,
    retry: keys.retry === undefined ? null : retryPolicy(keys.retry, seeds.arrivals),
    seeds,
    objective: read === null ? null : fittedObjective(read, { workload, checks }),
    checks,
    metrics: { endpoints: keys.metrics, everyNs: keys.metricsEvery },
    traceShare: keys.traceShare ?? 0,
    budget: budgetSpec(keys, load),
    hypothesis: keys.hypothesis ?? null,
    declare: keys.declare,
    service: serviceKeys(keys, written),
    out: keys.out ?? null,
  };
}

function targetSpec(keys: RunFile, written: Written, env: Environment): TargetSpec {
  const { target } = keys;
  const keyFile = target.keyFile ?? null;
  const dialect = DIALECTS[target.api];
  const isUsualSet = dialect.keyEnv !== null && (env[dialect.keyEnv] ?? '') !== '';
  const usualKeyEnv = keyFile === null && isUsualSet ? dialect.keyEnv : null;
  const unix = readUnixUrl(target.url);
  const unixSocket = unix?.socket ?? target.unixSocket ?? null;
  return {
    url: unix?.url ?? target.url,
    api: target.api,
    stream: target.stream,
    model: target.model ?? null,
    apiKeyEnv: target.keyEnv === undefined ? usualKeyEnv : target.keyEnv,
    apiKeyFile: filePath(written, ['target', 'keyFile'], keyFile),
    apiKeyHeader: target.keyHeader ?? dialect.keyHeader,
    headers: target.headers,
    body: target.body,
    oneTokenPerEvent: target.tokensPerEvent === 'one',
    exactOutput: target.exact,
    tokenizer: tokenizerSpec(target, written),
    proxy: target.proxy ?? null,
    caFile: filePath(written, ['target', 'ca'], target.ca ?? null),
    clientCertificate: clientCertificate(target, written),
    unixSocket: filePath(written, ['target', 'unixSocket'], unixSocket),
    transport: target.transport ?? (target.http2 ? 'compat' : 'fast'),
    http2: target.http2,
    limits: {
      lineBytes: target.maxLineBytes,
      responseBytes: target.maxResponseBytes,
      requestTimeoutNs: target.timeout,
      connectTimeoutNs: target.connectTimeout,
    },
    quota: quotaSpec(target.quota),
  };
}

function tokenizerSpec(target: RunFile['target'], written: Written): TargetSpec['tokenizer'] {
  const { tokenizer = null } = target;
  if (tokenizer === null || tokenizer.kind === 'gpt') return tokenizer;
  return { ...tokenizer, path: filePath(written, ['target', 'tokenizer'], tokenizer.path) };
}

/** The checks have seen that both files are given, or neither. */
function clientCertificate(
  target: RunFile['target'],
  written: Written,
): TargetSpec['clientCertificate'] {
  const certFile = filePath(written, ['target', 'cert'], target.cert ?? null);
  const keyFile = filePath(written, ['target', 'certKey'], target.certKey ?? null);
  return certFile === null || keyFile === null ? null : { certFile, keyFile };
}

function workloadSpec(keys: RunFile, written: Written): WorkloadSpec {
  const { workload } = keys;
  const { order = 'sequential', prefix = { kind: 'unique' }, history = 'planned' } = workload;
  const output = workload.output ?? DEFAULT_OUTPUT;
  const kind = workloadKindOf(written.tree);
  const path = (key: string, value: string | undefined): string => {
    assert(value !== undefined, `workload.${key} selects the kind, so it is given`);
    return filePath(written, ['workload', key], value);
  };
  switch (kind) {
    case 'synthetic': {
      const input = workload.input ?? DEFAULT_INPUT;
      return { kind, input, output, prefix };
    }
    case 'classes':
      return { kind, classes: workload.classes ?? [] };
    case 'prompts': {
      const file = path(kind, workload.prompts);
      const format = /\.(?:jsonl|ndjson|json)$/i.test(file) ? 'jsonl' : 'text';
      return { kind, path: file, format, output, order, prefix };
    }
    case 'turns': {
      const { turns } = workload;
      assert(turns !== undefined, 'workload.turns selects the kind, so it is given');
      return {
        kind: 'sessions',
        turns,
        input: workload.input ?? DEFAULT_INPUT,
        followUp: workload.followUp ?? DEFAULT_FOLLOW_UP,
        output,
        system: workload.system ?? [],
        maxContextTokens: workload.maxContext ?? null,
        history,
      };
    }
    case 'sharegpt': {
      const file = path(kind, workload.sharegpt);
      if (loadKindOf(written.tree) === 'sessionRate') {
        return { kind: 'conversations', path: file, output, order, prefix, history };
      }
      return { kind: 'prompts', path: file, format: 'sharegpt', output, order, prefix };
    }
    case 'bodies':
      return { kind, path: path(kind, workload.bodies), order };
    case 'trace':
      return {
        kind,
        path: path(kind, workload.trace?.path),
        format: workload.trace?.format ?? 'azure',
        badRows: workload.badRows ?? 'fail',
        maxPromptTokens: workload.maxInput ?? null,
        maxOutputTokens: workload.maxOutput ?? null,
        maxContextTokens: workload.maxContext ?? null,
        history,
      };
    default:
      return assertNever(kind);
  }
}

function loadSpec(keys: RunFile, written: Written): LoadSpec {
  const { load } = keys;
  const kind = loadKindOf(written.tree);
  switch (kind) {
    case 'rate':
      return { kind, ratesRps: load.rate ?? [], arrivals: load.arrivals ?? { kind: 'poisson' } };
    case 'concurrency':
      return { kind, levels: load.concurrency ?? [] };
    case 'users':
      return {
        kind,
        levels: load.users ?? [],
        think: load.think ?? { kind: 'exponential', meanNs: 0 },
      };
    case 'sessionRate':
      return {
        kind: 'sessions',
        sessionsPerSecond: load.sessionRate ?? [],
        arrivals: load.arrivals ?? { kind: 'poisson' },
        think: load.think ?? { kind: 'exponential', meanNs: 0 },
      };
    case 'trace':
      return { kind, timeScales: load.timeScale ?? [1], fromNs: load.from ?? 0 };
    case null:
      throw new InvariantError('a spec without load was reported before');
    default:
      return assertNever(kind);
  }
}

function serviceKeys({ service }: RunFile, written: Written): ServiceKeys {
  const keys: Record<string, string | boolean> = {};
  for (const [key, value] of Object.entries(service)) if (value !== undefined) keys[key] = value;
  for (const key of SERVICE_PATHS) {
    const path = keys[key];
    if (typeof path === 'string') keys[key] = filePath(written, ['service', key], path);
  }
  for (const key of SERVICE_NAMES_OR_PATHS) {
    const name = keys[key];
    const [, mark = '', path = null] = /^(@|affine:|table:)(.+)$/.exec(String(name ?? '')) ?? [];
    if (path !== null) keys[key] = `${mark}${filePath(written, ['service', key], path)}`;
  }
  return keys;
}

function budgetSpec(keys: RunFile, load: LoadSpec): BudgetSpec {
  const { budget, target } = keys;
  return {
    maxRequests: budget.maxRequests ?? null,
    maxOutputTokens: budget.maxTokens ?? null,
    maxCostUsd: budget.maxCost ?? null,
    pricePerMillionInputTokensUsd: budget.inputPrice ?? null,
    pricePerMillionOutputTokensUsd: budget.outputPrice ?? null,
    maxInFlight:
      budget.maxInFlight ??
      target.quota?.concurrent ??
      Math.max(DEFAULT_MAX_IN_FLIGHT, largestLevel(load)),
  };
}

/** Requests in flight that a closed loop needs; 0 for open loops, whose need is not known. */
export function largestLevel(load: LoadSpec): number {
  return load.kind === 'concurrency' || load.kind === 'users' ? Math.max(...load.levels) : 0;
}

/** A path in a run file is relative to that file; one in a flag is relative to where we are. */
export function filePath<P extends string | null>(written: Written, at: KeyPath, path: P): P {
  if (path === null || written.file === null || written.flagOf(at) !== null) return path;
  if (isAbsolute(path)) return path;
  return join(dirname(written.file), path) as P;
}
