/** The spec as a run file: what `--print-spec` writes, for version control. */
import { Document, isCollection, isMap, isScalar, isSeq, visit } from 'yaml';
import { assertNever, durationText } from '../base/index.ts';
import type {
  ArrivalProcess,
  LengthDistribution,
  PrefixPolicy,
  ThinkTime,
} from '../workload/index.ts';
import { checkTree } from './check-schema.ts';
import { objectiveValue } from './objective-tree.ts';
import type { LoadSpec, RunSpec, TargetSpec, TraceFormat, WorkloadSpec } from './run-spec.ts';
import { quotaTree } from './quota-schema.ts';
import { retryTree } from './retry-schema.ts';
import { hypothesisTree } from './hypothesis-schema.ts';
import { escapeEnv } from './substitute-env.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * Writes every key that has a value, defaults included, so that the file means the same under
 * later versions. Reading it back gives the same spec.
 */
export function runSpecYaml(spec: RunSpec): string {
  const document = new Document(runSpecTree(spec), { aliasDuplicateObjects: false });
  visit(document, (role, node) => {
    const isValue = role !== 'key' && isScalar(node);
    if (isValue && typeof node.value === 'string') node.value = escapeEnv(node.value);
    // Short innermost collections read best on one line.
    if (isCollection(node)) node.flow = isShortLeaf(node);
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const LEAF_WIDTH = 80;

function isShortLeaf(node: unknown): boolean {
  if (!isMap(node) && !isSeq(node)) return false;
  const values = isMap(node) ? node.items.map(({ value }) => value) : node.items;
  return values.every((value) => isScalar(value)) && JSON.stringify(node).length <= LEAF_WIDTH;
}

function runSpecTree(spec: RunSpec): Record<string, unknown> {
  const { budget, objective } = spec;
  // The checks of a run and those of its objective are the same; they are written once.
  const bare =
    objective === null
      ? null
      : {
          ...objective,
          request: {
            ...objective.request,
            correctness: { ...objective.request.correctness, checks: [] },
          },
        };
  return withoutNulls({
    name: spec.name,
    target: targetTree(spec.target),
    workload: workloadTree(spec.workload),
    load: loadTree(spec.load),
    duration: durationText(spec.durationNs),
    requests: spec.requests,
    warmup: durationText(spec.warmupNs),
    drain: spec.atEnd.kind === 'cancel' ? 'cancel' : durationText(spec.atEnd.limitNs),
    retry: spec.retry === null ? null : retryTree(spec.retry),
    latenessLimit: spec.latenessLimitNs === null ? null : durationText(spec.latenessLimitNs),
    processes: spec.processes,
    seed: seedValue(spec),
    slo: bare === null ? null : objectiveValue(bare, spec.workload.kind !== 'bodies'),
    checks: spec.checks.length > 0 ? spec.checks.map(checkTree) : null,
    ...metricsTree(spec),
    traceShare: spec.traceShare === 0 ? null : spec.traceShare,
    budget: withoutNulls({
      maxRequests: budget.maxRequests,
      maxTokens: budget.maxOutputTokens,
      maxCost: budget.maxCostUsd,
      inputPrice: budget.pricePerMillionInputTokensUsd,
      outputPrice: budget.pricePerMillionOutputTokensUsd,
      maxInFlight: budget.maxInFlight,
    }),
    hypothesis: spec.hypothesis === null ? null : hypothesisTree(spec.hypothesis),
    service: spec.service,
    declare: spec.declare,
    out: spec.out,
  });
}

/** Nothing of a run that looks at no engine: its file is as it was before there were metrics. */
function metricsTree({ metrics: { endpoints, everyNs } }: RunSpec): Record<string, unknown> {
  return endpoints.length === 0
    ? {}
    : { metrics: oneOrMany(endpoints), metricsEvery: durationText(everyNs) };
}

function targetTree(target: TargetSpec): Record<string, unknown> {
  const { limits, apiKeyFile } = target;
  return {
    ...withoutNulls({
      url: target.url,
      api: target.api,
      model: target.model,
      stream: target.stream,
    }),
    // Left out, the key would come from whatever the reader's environment holds.
    ...(apiKeyFile === null ? { keyEnv: target.apiKeyEnv } : { keyFile: apiKeyFile }),
    ...withoutNulls({
      keyHeader: target.apiKeyHeader,
      headers: target.headers,
      body: target.body,
      exact: target.exactOutput,
      tokensPerEvent: target.oneTokenPerEvent ? 'one' : 'unknown',
      tokenizer: tokenizerText(target.tokenizer),
      proxy: target.proxy,
      ca: target.caFile,
      cert: target.clientCertificate?.certFile ?? null,
      certKey: target.clientCertificate?.keyFile ?? null,
      unixSocket: target.unixSocket,
      transport: target.transport,
      http2: target.http2,
      quota: quotaTree(target.quota),
      timeout: durationText(limits.requestTimeoutNs),
      connectTimeout: durationText(limits.connectTimeoutNs),
      maxLineBytes: limits.lineBytes,
      maxResponseBytes: limits.responseBytes,
    }),
  };
}

/** A file beside the run file is marked as one, or it would read as a name. */
function tokenizerText(tokenizer: TargetSpec['tokenizer']): string | null {
  if (tokenizer === null) return null;
  if (tokenizer.kind === 'gpt') return tokenizer.vocabulary;
  return /[/\\]|\.json$/i.test(tokenizer.path) ? tokenizer.path : `./${tokenizer.path}`;
}

function workloadTree(workload: WorkloadSpec): Record<string, unknown> {
  switch (workload.kind) {
    case 'synthetic':
      return {
        input: lengthValue(workload.input),
        output: lengthValue(workload.output),
        prefix: prefixText(workload.prefix),
      };
    case 'classes':
      return {
        classes: workload.classes.map(({ name, weight, priority, ...prompts }) => ({
          name,
          weight,
          priority,
          input: lengthValue(prompts.input),
          output: lengthValue(prompts.output),
          prefix: prefixText(prompts.prefix),
        })),
      };
    case 'prompts':
      return {
        [workload.format === 'sharegpt' ? 'sharegpt' : 'prompts']: workload.path,
        output: lengthValue(workload.output),
        order: workload.order,
        prefix: prefixText(workload.prefix),
      };
    case 'bodies':
      return { bodies: workload.path, order: workload.order };
    case 'sessions':
      return withoutNulls({
        turns: lengthValue(workload.turns),
        input: lengthValue(workload.input),
        followUp: lengthValue(workload.followUp),
        output: lengthValue(workload.output),
        system: workload.system.length === 0 ? null : workload.system,
        maxContext: workload.maxContextTokens,
        history: workload.history,
      });
    case 'conversations':
      return {
        sharegpt: workload.path,
        output: lengthValue(workload.output),
        order: workload.order,
        prefix: prefixText(workload.prefix),
        history: workload.history,
      };
    case 'trace':
      return withoutNulls({
        trace: { [workload.format]: workload.path },
        badRows: isOfRows(workload.format) ? workload.badRows : null,
        maxInput: workload.maxPromptTokens,
        maxOutput: workload.maxOutputTokens,
        maxContext: workload.maxContextTokens,
        history: workload.history === 'planned' ? null : workload.history,
      });
    default:
      return assertNever(workload);
  }
}

function lengthValue(length: LengthDistribution): unknown {
  switch (length.kind) {
    case 'fixed':
      return length.tokens;
    case 'uniform':
      return { uniform: { min: length.min, max: length.max } };
    case 'lognormal': {
      const { median, sigma, min, max } = length;
      return { lognormal: { median, sigma, min, max } };
    }
    case 'empirical':
      return {
        empirical: new Map(length.values.map(({ tokens, weight }) => [tokens, weight])),
      };
    default:
      return assertNever(length);
  }
}

function prefixText(prefix: PrefixPolicy): string {
  if (prefix.kind !== 'shared') return prefix.kind;
  return `shared:${prefix.tokens}${prefix.groups === 1 ? '' : `x${prefix.groups}`}`;
}

function loadTree(load: LoadSpec): Record<string, unknown> {
  switch (load.kind) {
    case 'rate':
      return { rate: oneOrMany(load.ratesRps), arrivals: arrivalsText(load.arrivals) };
    case 'concurrency':
      return { concurrency: oneOrMany(load.levels) };
    case 'users':
      return { users: oneOrMany(load.levels), think: thinkText(load.think) };
    case 'sessions':
      return {
        sessionRate: oneOrMany(load.sessionsPerSecond),
        arrivals: arrivalsText(load.arrivals),
        ...(load.think.meanNs === 0 ? {} : { think: thinkText(load.think) }),
      };
    case 'trace':
      return { timeScale: oneOrMany(load.timeScales), from: durationText(load.fromNs) };
    default:
      return assertNever(load);
  }
}

/** Whether a trace is of single requests, one a row. */
function isOfRows(format: TraceFormat): boolean {
  return format === 'azure' || format === 'mooncake';
}

function thinkText({ kind, meanNs }: ThinkTime): string {
  return `${kind === 'fixed' ? 'fixed:' : ''}${durationText(meanNs)}`;
}

function arrivalsText(arrivals: ArrivalProcess): string {
  return arrivals.kind === 'gamma' ? `gamma:${arrivals.cv}` : arrivals.kind;
}

function oneOrMany<Value>(values: readonly Value[]): Value | readonly Value[] {
  return values.length === 1 ? (values[0] ?? []) : values;
}

function seedValue({ seeds }: RunSpec): unknown {
  const { arrivals, lengths, prompts } = seeds;
  return arrivals === lengths && lengths === prompts ? arrivals : { arrivals, lengths, prompts };
}
