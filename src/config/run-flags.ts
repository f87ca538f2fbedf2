/**
 * The flags of `goodput run` as a table: the command line builds its options from it, the docs are
 * generated from it, and it says which key of the run file each flag sets. A flag is its key in
 * kebab-case, so whoever knows one knows the other.
 */
import type { z } from 'zod';
import { assert } from '../base/index.ts';
import { keyPathText, type KeyPath } from './key-path.ts';
import { runFile } from './run-file-schema.ts';

/** How a flag's text becomes the value of its key. */
export type FlagForm =
  /** As it is. */
  | 'text'
  /** Cut at commas. */
  | 'list'
  /** Present = `true`. */
  | 'switch'
  /** Repeatable, into a list. */
  | 'each'
  /** `--no-…`, present = `false`. */
  | 'off'
  /** `Name: value`, repeatable, into a mapping. */
  | 'header'
  /** `name=JSON`, or `name=text`, repeatable, into a mapping. */
  | 'assignment';

export interface RunFlag {
  /** `--max-requests`. */
  readonly flag: string;
  /** Placeholder of the value, `<count>`; `null` for a flag without one. */
  readonly value: string | null;
  readonly form: FlagForm;
  /** The key it sets. */
  readonly path: readonly string[];
  /** One line for the help screen: the key's own description. */
  readonly help: string;
}

function row(
  flag: string,
  value: string | null,
  section: string | null,
  options: { readonly form?: FlagForm; readonly key?: string; readonly help?: string } = {},
): RunFlag {
  const key = options.key ?? camelCase(flag.slice(2));
  const form = options.form ?? (value === null ? 'switch' : 'text');
  const path = section === null ? [key] : [section, key];
  return { flag, value, form, path, help: options.help ?? descriptionAt(path).replaceAll('`', '') };
}

/** What the schema says of the key at `path`. */
function descriptionAt(path: readonly string[]): string {
  let schema: z.core.$ZodType = runFile;
  for (const part of path) {
    const { shape } = innermost(schema)._zod.def as z.core.$ZodObjectDef;
    const next: z.core.$ZodType | undefined = shape[part];
    assert(next !== undefined, `no key ${path.join('.')} in the run file`);
    schema = next;
  }
  return (schema as z.ZodType).description ?? '';
}

/** The schema under its wrappers (optional, default). */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : innermost(innerType);
}

/** Every flag that sets a key of the run file. `--url` is also the positional argument. */
export const RUN_FLAGS: readonly RunFlag[] = [
  row('--url', '<url>', 'target'),
  row('--api', '<name>', 'target'),
  row('--model', '<name>', 'target'),
  row('--no-stream', null, 'target', {
    form: 'off',
    key: 'stream',
    help: 'Ask for whole answers. There is then no TTFT, TPOT or gap to judge.',
  }),
  row('--key-env', '<name>', 'target'),
  row('--key-file', '<file>', 'target'),
  row('--key-header', '<name>', 'target'),
  row('--header', '<name: value>', 'target', { form: 'header', key: 'headers' }),
  row('--body', '<name=json>', 'target', { form: 'assignment' }),
  row('--exact', null, 'target'),
  row('--tokens-per-event', '<one|unknown>', 'target'),
  row('--tokenizer', '<name|file>', 'target'),
  row('--proxy', '<url>', 'target'),
  row('--ca', '<file>', 'target'),
  row('--cert', '<file>', 'target'),
  row('--cert-key', '<file>', 'target'),
  row('--unix-socket', '<path>', 'target'),
  row('--transport', '<fast|compat>', 'target'),
  row('--http2', null, 'target'),
  row('--quota', '<limits>', 'target'),
  row('--timeout', '<duration>', 'target'),
  row('--connect-timeout', '<duration>', 'target'),
  row('--max-line-bytes', '<bytes>', 'target'),
  row('--max-response-bytes', '<bytes>', 'target'),

  row('--input', '<tokens>', 'workload'),
  row('--output', '<tokens>', 'workload'),
  row('--prefix', '<policy>', 'workload'),
  row('--prompts', '<file>', 'workload'),
  row('--sharegpt', '<file>', 'workload'),
  row('--bodies', '<file>', 'workload'),
  row('--trace', '<format:file>', 'workload'),
  row('--order', '<order>', 'workload'),
  row('--bad-rows', '<fail|skip>', 'workload'),
  row('--max-input', '<tokens>', 'workload'),
  row('--max-output', '<tokens>', 'workload'),
  row('--turns', '<count>', 'workload'),
  row('--follow-up', '<tokens>', 'workload'),
  row('--system', '<tokens>', 'workload'),
  row('--max-context', '<tokens>', 'workload'),
  row('--history', '<planned|answers>', 'workload'),

  row('--rate', '<rps,…>', 'load', { form: 'list' }),
  row('--arrivals', '<process>', 'load'),
  row('--concurrency', '<streams,…>', 'load', { form: 'list' }),
  row('--users', '<users,…>', 'load', { form: 'list' }),
  row('--session-rate', '<per second,…>', 'load', { form: 'list' }),
  row('--think', '<duration>', 'load'),
  row('--time-scale', '<factor,…>', 'load', { form: 'list' }),
  row('--from', '<duration>', 'load'),

  row('--duration', '<duration>', null),
  row('--requests', '<count>', null),
  row('--warmup', '<duration>', null),
  row('--drain', '<duration|cancel>', null),
  row('--retry', '<tries|policy>', null),
  row('--lateness-limit', '<duration>', null),
  row('--processes', '<auto|count>', null),
  row('--seed', '<number>', null),
  row('--slo', '<expression|preset|@file>', null),

  row('--metrics', '<auto|url>', null, { form: 'each' }),
  row('--metrics-every', '<duration>', null),
  row('--trace-share', '<share>', null),

  row('--max-requests', '<count>', 'budget'),
  row('--max-tokens', '<count>', 'budget'),
  row('--max-cost', '<usd>', 'budget'),
  row('--input-price', '<usd>', 'budget'),
  row('--output-price', '<usd>', 'budget'),
  row('--max-in-flight', '<count>', 'budget'),

  row('--declare', '<name=value>', null, { form: 'assignment' }),
  row('--name', '<name>', null),
  row('--out', '<folder>', null),
];

/** The flag that sets the key at `path`, or an ancestor of it; `null` when none does. */
export function flagAt(path: KeyPath): RunFlag | null {
  return RUN_FLAGS.find((flag) => flag.path.every((part, at) => path[at] === part)) ?? null;
}

/** The sections that have a key of this name: `rate` → `load.rate`. For misplaced keys. */
export function pathsEndingIn(key: string): string[] {
  return RUN_FLAGS.filter(({ path }) => path.at(-1) === key).map(({ path }) => keyPathText(path));
}

/** `max-requests` → `maxRequests`: the name under which commander hands a flag over. */
export function camelCase(kebab: string): string {
  return kebab.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
