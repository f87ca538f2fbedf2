/** `a=1,b=2`: the keys of a small mapping on one line, as a flag has them. */
import { z } from 'zod';

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
  return z.preprocess((value) => {
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
    return tree;
  }, schema);
}
