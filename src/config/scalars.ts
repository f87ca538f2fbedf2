/**
 * The building blocks of the file schema: each reads one kind of value and says, when it cannot,
 * what is wrong and how to mend it. A message is `what is wrong`, or `what is wrong\nhint`; the
 * subject (key or flag, and the user's text) is put in front by `problems.ts`.
 */
import { z } from 'zod';
import { nearestWord, parseDurationNs, parseShare, parseTokenCount } from '../base/index.ts';

const HINT_SEPARATOR = '\n';

/** A message with its hint, as schemas carry it. */
export function withHint(message: string, hint: string): string {
  return message + HINT_SEPARATOR + hint;
}

/** The two halves of a schema's message. */
export function splitHint(message: string): {
  readonly message: string;
  readonly hint: string | null;
} {
  const at = message.indexOf(HINT_SEPARATOR);
  return at < 0
    ? { message, hint: null }
    : { message: message.slice(0, at), hint: message.slice(at + 1) };
}

/** Error parameter for a schema that wants `what`; `hint` shows how to write it. */
export function expects(what: string, hint: string): { readonly error: string } {
  return { error: withHint(`is not ${what}`, hint) };
}

/** A mapping with exactly these keys. The message holds one hint per unknown key, in order. */
export function mapping<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<{ -readonly [Key in keyof Shape]: Shape[Key] }, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKeyHint(key, known)).join(HINT_SEPARATOR)
        : withHint('is not a mapping', `write keys under it: ${known.slice(0, 4).join(', ')}`),
  });
}

function unknownKeyHint(key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  return nearest === null ? `known keys: ${known.join(', ')}` : `did you mean ${nearest}?`;
}

/** One of a closed set of words. */
export function oneOf<const Word extends string>(words: readonly Word[]): z.ZodType<Word, Word> {
  return z.literal(words as readonly [Word, ...Word[]], {
    error: (issue) => {
      const nearest = typeof issue.input === 'string' ? nearestWord(issue.input, words) : null;
      return withHint(
        `is not one of ${words.join(', ')}`,
        nearest === null ? `write ${words[0]}` : `did you mean ${nearest}?`,
      );
    },
  });
}

/** Text on one line, not empty. */
export const text = z
  .string(expects('text', 'quote it: "…"'))
  .min(1, withHint('is empty', 'give a value, or leave the key out'))
  .regex(/^[^\n\r\0]*$/, withHint('holds a line break', 'write it on one line'));

/** `true` or `false`; text too, because a variable or a flag gives text. */
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(expects('true or false', 'write true or false')),
);

const NUMERAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

function numberFrom(value: unknown): unknown {
  return typeof value === 'string' && NUMERAL.test(value) ? Number(value) : value;
}

/** A number above 0: a rate, a scale, a weight. Infinity and NaN are not numbers here. */
export function positiveNumber(what: string, example: string): z.ZodType<number> {
  const wanted = expects(what, `write ${example}`);
  return z.preprocess(
    numberFrom,
    z.number(wanted).positive(withHint('is not above 0', `write ${example}`)),
  );
}

/** A number of 0 or more. */
export function nonNegativeNumber(what: string, example: string): z.ZodType<number> {
  return z.preprocess(
    numberFrom,
    z.number(expects(what, `write ${example}`)).min(0, withHint('is below 0', `write ${example}`)),
  );
}

/** A whole number of `min` or more. */
export function wholeNumber(what: string, example: string, min = 1): z.ZodType<number> {
  const bound = min === 1 ? 'is not above 0' : `is below ${min}`;
  return z.preprocess(
    numberFrom,
    z
      .int({
        error: (issue) =>
          issue.code === 'too_big'
            ? withHint('is too large to count exactly', `write ${example}`)
            : withHint(`is not ${what}`, `write ${example}`),
      })
      .min(min, withHint(bound, `write ${example}`)),
  );
}

/** A count of tokens, bytes or requests of 1 or more: `1024`, `16k`, `1e6`. */
export const count = z
  .union([z.number(), z.string()], expects('a count', 'write 1024 or 16k'))
  .transform((value, context) => {
    const read = typeof value === 'string' ? (parseTokenCount(value) ?? numberFrom(value)) : value;
    if (typeof read === 'number' && Number.isSafeInteger(read) && read >= 1) return read;
    return fail(context, 'is not a whole count above 0', 'write 1024 or 16k');
  });

/** Reports what is wrong with a value and gives zod's "no result". */
export function fail(context: z.core.$RefinementCtx, message: string, hint: string): never {
  context.addIssue({ code: 'custom', message: withHint(message, hint) });
  return z.NEVER;
}

/** A duration with its unit, in nanoseconds; `above0` refuses `0s`. */
export function duration(
  bounds: 'any' | 'above0',
  example = '500ms or 30s',
): z.ZodType<number, string> {
  return z
    .string({ error: (issue) => durationFault(String(issue.input), example) })
    .transform((value, context) => {
      const ns = parseDurationNs(value);
      if (ns === null) {
        context.addIssue({ code: 'custom', message: durationFault(value, example) });
        return z.NEVER;
      }
      return ns === 0 && bounds === 'above0'
        ? fail(context, 'is not above 0', `write ${example}`)
        : ns;
    });
}

/** What is wrong with a text that should be a duration. */
export function durationFault(value: string, example: string): string {
  const bare = value.trim();
  if (!/^\d+(?:\.\d+)?$/.test(bare)) return withHint('is not a duration', `write ${example}`);
  return withHint('has no unit', Number(bare) === 0 ? 'write 0s' : `write ${bare}ms or ${bare}s`);
}

/** `95%` or `0.95`, as a share in (0, 1]. */
export const share = z
  .union([z.number(), z.string()], expects('a share', 'write 95% or 0.95'))
  .transform((value, context) => {
    const read = parseShare(String(value));
    if (read !== null && read > 0) return read;
    const percent = Number(value);
    return fail(
      context,
      'is not a share above 0, up to 1',
      percent > 1 && percent <= 100 ? `write ${percent}%` : 'write 95% or 0.95',
    );
  });

/** One value, or a list of at least one: `rate: 4` and `rate: [2, 4]`. */
export function oneOrMany<Item extends z.ZodType>(
  item: Item,
  what: string,
  example: string,
): z.ZodType<z.output<Item>[], z.input<Item> | z.input<Item>[]> {
  return z
    .union(
      [item, z.array(item).min(1, withHint('is an empty list', `write ${example}`))],
      expects(what, `write ${example}`),
    )
    .transform((value) => (Array.isArray(value) ? value : [value]) as z.output<Item>[]);
}
