/** `${NAME}` and `${NAME:-default}` in the values of a YAML file. */

/** The environment as handed in: config itself never reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Substitution =
  | { readonly kind: 'text'; readonly text: string }
  /** The variable is not set and has no default. */
  | { readonly kind: 'unset'; readonly name: string }
  /** The variable holds a secret, which must not enter a spec. */
  | { readonly kind: 'secret'; readonly name: string }
  /** `${` without a name and a closing brace. */
  | { readonly kind: 'malformed' };

const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

// A spec is printed, hashed and stored beside the results, so names that end like this are refused.
const SECRET_NAME = /(?:^|_)(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|AUTH)$/i;

/**
 * Replaces each reference. `:-` gives the value used when the variable is unset or empty, as in a
 * shell; `$${` is a plain `${`. `keyEnv` is the variable that holds the API key, secret by role.
 */
export function substituteEnv(
  source: string,
  env: Environment,
  keyEnv: string | null = null,
): Substitution {
  let text = '';
  let end = 0;
  for (const match of source.matchAll(REFERENCE)) {
    text += source.slice(end, match.index);
    end = match.index + match[0].length;
    const [whole, name, fallback] = match;
    if (whole === '$${') {
      text += '${';
      continue;
    }
    if (name === undefined) return { kind: 'malformed' };
    if (name === keyEnv || SECRET_NAME.test(name)) return { kind: 'secret', name };
    const value = env[name];
    if (value === undefined && fallback === undefined) return { kind: 'unset', name };
    text += value === undefined || (value === '' && fallback !== undefined) ? fallback : value;
  }
  return { kind: 'text', text: text + source.slice(end) };
}

/** Writes a text so that {@link substituteEnv} gives it back. */
export function escapeEnv(text: string): string {
  // A function, because `$$` in a replacement text means one `$`.
  return text.replaceAll('${', () => '$${');
}
