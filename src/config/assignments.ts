/** `a=1,b=2`: the keys of a small mapping on one line, as a flag has them. */
import { z } from 'zod';
import { printable } from '../base/index.ts';
import { splitHint, withHint } from './scalars.ts';

/**
 * A schema of a mapping that may also be written as one text. A name that is none of its keys, nor of
 * those inside, stays as it is, for the schema to refuse.
 */
export function mappingOrText<Schema extends z.ZodObject>(
  schema: Schema,
  {
    inside = {},
    listed = [],
    alone = null,
  }: {
    /** Name → the inner mapping that it belongs to. */
    readonly inside?: Readonly<Record<string, string>>;
    /** The names whose values are lists, cut at `|`. */
    readonly listed?: readonly string[];
    /** The name that a text without `=` is the value of. */
    readonly alone?: string | null;
  },
): z.ZodPreprocess<Schema> {
  const parents = new Map(Object.entries(inside));
  const outer = Object.keys(schema.shape).filter((key) => ![...parents.values()].includes(key));
  const names = `its names: ${[...outer, ...parents.keys()].join(', ')}`;
  return z.preprocess((value, context) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const text = String(value).trim();
    if (text === '') return value;
    if (alone !== null && !text.includes('=')) return { [alone]: text };
    const tree: Record<string, unknown> = {};
    for (const pair of text.split(',')) {
      const at = pair.indexOf('=');
      const name = (at < 0 ? pair : pair.slice(0, at)).trim();
      const rest = at < 0 ? '' : pair.slice(at + 1).trim();
      const read = listed.includes(name) ? rest.split('|').map((item) => item.trim()) : rest;
      const parent = parents.get(name);
      if (parent === undefined) tree[name] = read;
      else
        tree[parent] = { ...(tree[parent] as Record<string, unknown> | undefined), [name]: read };
    }
    // Told of the text as a whole: its keys have no place of their own.
    const fault = schema.safeParse(tree).error?.issues[0];
    if (fault === undefined) return tree;
    const { message, hint } = splitHint(fault.message);
    const name = fault.path.map(String).find((part) => part in tree || parents.has(part));
    const said =
      fault.code === 'unrecognized_keys'
        ? withHint(`has no "${printable(String(fault.keys[0]), 40)}"`, hint ?? names)
        : withHint(`${message}, its ${name ?? 'value'}`, hint ?? names);
    context.addIssue({ code: 'custom', message: said });
    return z.NEVER;
  }, schema);
}
