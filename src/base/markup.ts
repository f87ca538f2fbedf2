/** HTML and SVG in which untrusted text stays text, by construction. */
import { assert } from './errors.ts';
import { printable } from './text.ts';

/** Far beyond any sentence; keeps one hostile label from being the page. */
const TEXT_LIMIT = 2_000;

/**
 * A piece of HTML or SVG that is safe to show. Only `markup` and `trustedMarkup` make one, so text
 * that came from anywhere else can never be taken for it.
 */
export class Markup {
  readonly text: string;

  /** Use `markup`; the text is taken as it is. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may hold: text and numbers are escaped, markup is not, `null` is nothing. */
export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/**
 * `markup\`<b title="${name}">${name}</b>\``: every part that is not markup itself is made printable
 * and escaped, for element content and for attributes in double quotes alike.
 *
 * Errors: assertion when a part stands where escaping would not hold it: in an attribute without
 * quotes, or inside a tag.
 */
export function markup(literals: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  let text = literals[0] ?? '';
  for (const [at, part] of parts.entries()) {
    assert(
      !isInsideTag(text) || part instanceof Markup || part === null,
      `a part of markup stands bare inside a tag: ${text.slice(-60)}`,
    );
    text += partText(part) + (literals[at + 1] ?? '');
  }
  return new Markup(text);
}

/** Markup from text that this program itself wrote (a style sheet, a script). Never from input. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function partText(part: MarkupPart): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(printable(part, TEXT_LIMIT));
  return part.map(partText).join('');
}

/** Whether the text ends in a tag that is open, outside an attribute's quotes. */
function isInsideTag(text: string): boolean {
  const open = text.lastIndexOf('<');
  if (open <= text.lastIndexOf('>')) return false;
  return (text.slice(open).split('"').length - 1) % 2 === 0;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
