/** A trace as it is written: `azure:FILE`, or the format as a key. */
import { z } from 'zod';
import { TRACE_FORMATS, type TraceFormat } from './run-spec.ts';
import { expects, fail, mapping, text } from './scalars.ts';

const FORMS = `write one of ${TRACE_FORMATS.map((format) => `${format}:FILE`).join(', ')}`;

const keys = Object.fromEntries(TRACE_FORMATS.map((format) => [format, text.optional()]));

/** Format and path of a trace. */
export const traceFile = z
  .union([z.string(), mapping(keys)], expects('a trace', FORMS))
  .transform((value, context): { readonly format: TraceFormat; readonly path: string } => {
    const given =
      typeof value === 'string'
        ? [/^([a-z]+):(.+)$/.exec(value)?.slice(1) ?? []]
        : Object.entries(value as Readonly<Record<string, string | undefined>>);
    const named = given.filter(([, path]) => path !== undefined);
    const [name, path] = named[0] ?? [];
    const format = TRACE_FORMATS.find((one) => one === name);
    if (named.length > 1) return fail(context, 'names more than one trace', FORMS);
    if (format === undefined || path === undefined) {
      return fail(context, 'is not a trace', FORMS);
    }
    return { format, path };
  });
