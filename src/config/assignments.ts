/** `a=1,b=2`: the keys of a small mapping on one line, as a flag has them. */
import { z } from 'zod';
import { printable } from '../base/index.ts';
import { splitHint, withHint } from './scalars.ts';

/**
 * A schema of a mapping that may also be written as one text. `keyOf` gives the place of each name in
 * the mapping (a name that is none of them stays as it is, for the schema to refuse), `listed` the
 * names whose values are lists, cut at `|`.
 */
export function mappingOrText<Schema extends z.ZodType>(
  schema: Schema,
  {
    inside = {},
    listed = [],
    alone = null,
  }: {
    /** Name → the inner mapping that it belongs to. */
    readonly inside?: Readonly<Record<string, string>>;
    readonly listed?: readonly string[];
    /** The name that a text without `=` is the value of. */
    readonly alone?: string | null;
  },
): z.ZodPreprocess<Schema> {
  const names = (): string => [...Object.keys(inside), ...listed].join(', ');
  return z.preprocess((value, context) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const text = String(value).trim();
    if (!text.includes('=')) return alone === null || text === '' ? value : { [alone]: text };
    const tree: Record<string, unknown> = {};
    for (const pair of text.split(',')) {
      const at = pair.indexOf('=');
      const name = (at < 0 ? pair : pair.slice(0, at)).trim();
      const rest = at < 0 ? '' : pair.slice(at + 1).trim();
      const read = listed.includes(name) ? rest.split('|').map((item) => item.trim()) : rest;
      const parent = inside[name];
      if (parent === undefined) tree[name] = read;
      else
        tree[parent] = { ...(tree[parent] as Record<string, unknown> | undefined), [name]: read };
    }
    // Told of the text as a whole: its keys have no place of their own.
    const fault = schema.safeParse(tree).error?.issues[0];
    if (fault === undefined) return tree;
    const { message, hint } = splitHint(fault.message);
    const name = fault.path.map(String).find((part) => part in tree || part in inside);
    const said =
      fault.code === 'unrecognized_keys'
        ? withHint(`has no "${printable(String(fault.keys[0]), 40)}"`, hint ?? names())
        : withHint(`${message}, its ${name ?? 'value'}`, hint ?? names());
    context.addIssue({ code: 'custom', message: said });
    return z.NEVER;
  }, schema);
}
