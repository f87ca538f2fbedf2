/** What of a target's address may be written down. */

/** Parameters whose values name something and never grant anything. */
const HARMLESS_PARAMETERS: ReadonlySet<string> = new Set(['api-version', 'deployment', 'region']);

const NOT_SHOWN = '(not an HTTP address)';

/**
 * The URL without user, password and fragment, and with every query value replaced by `redacted`
 * unless its parameter is known to be harmless: a new name for a key must not leak it.
 * `(not an HTTP address)` when it is none.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return NOT_SHOWN;
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) return NOT_SHOWN;
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  const shown = new URLSearchParams();
  for (const [name, value] of parsed.searchParams) {
    if (HARMLESS_PARAMETERS.has(name.toLowerCase())) shown.append(name, value);
    // A bare word may itself be the key.
    else if (value === '') shown.append('redacted', '');
    else shown.append(name, 'redacted');
  }
  parsed.search = shown.toString();
  return parsed.href;
}
