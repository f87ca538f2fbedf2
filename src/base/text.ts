/** Makes untrusted text (server replies, file names, log lines) safe to show. */

// C0 and C1 controls, line and paragraph separators, bidirectional overrides and isolates,
// zero-width characters, and lone surrogates: all can rewrite what a terminal shows.
const UNSAFE =
  // eslint-disable-next-line no-control-regex -- control characters are the point
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The text on one line with every character that could drive a terminal written as an escape
 * (`\u001b`), cut to `limit` characters with `…`.
 */
export function printable(text: string, limit = 200): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A short machine word a server sent (an error code or type) when it looks like one; else `null`.
 * Only this much of an error body may enter a record: free text could quote the prompt.
 */
export function machineWord(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[A-Za-z0-9_.:/-]{1,64}$/.test(text) ? text : null;
}
