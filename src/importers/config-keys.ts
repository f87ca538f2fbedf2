/** Reads the keys of a model's `config.json`, each under any of its names, and gathers mistakes. */
import type { ErrorCode } from '../base/index.ts';
import { placeInJson } from './placed-json.ts';
import type { ProblemList } from './problem-list.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** Where keys are looked up: a multimodal model keeps the language model in `text_config`. */
const TEXT_SECTION = 'text_config';

export class ConfigKeys {
  readonly #text: string;
  readonly #sections: readonly { readonly path: readonly string[]; readonly keys: Mapping }[];
  readonly #problems: ProblemList;

  constructor(text: string, root: Mapping, problems: ProblemList) {
    const nested = root[TEXT_SECTION];
    this.#text = text;
    this.#problems = problems;
    this.#sections = [
      ...(isMapping(nested) ? [{ path: [TEXT_SECTION], keys: nested }] : []),
      { path: [], keys: root },
    ];
  }

  /** The value under the first of `names` that is there; `undefined` when none is, or it is null. */
  value(...names: readonly string[]): unknown {
    return this.#find(names)?.value;
  }

  /** A whole number ≥ 1. When it is missing or no count, a problem and 1 to go on with. */
  count(...names: readonly string[]): number {
    const count = this.optionalCount(...names);
    if (count !== null) return count;
    const found = this.#find(names);
    if (found === null) this.#add('E_CONFIG_MISSING_KEY', [], `${names.join(' or ')} is missing`);
    else this.#add('E_CONFIG_VALUE', found.path, `${found.path.join('.')} is 0`);
    return 1;
  }

  /** A whole number ≥ 1, `null` when it is absent; 0 counts as absent. */
  optionalCount(...names: readonly string[]): number | null {
    const found = this.#find(names);
    if (found === null || found.value === 0) return null;
    const { value, path } = found;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
    this.#add('E_CONFIG_VALUE', path, `${path.join('.')} is not a whole number ≥ 1`);
    return 1;
  }

  flag(name: string): boolean | null {
    const found = this.#find([name]);
    if (found === null) return null;
    if (typeof found.value === 'boolean') return found.value;
    this.#add('E_CONFIG_VALUE', found.path, `${found.path.join('.')} is neither true nor false`);
    return null;
  }

  /** A list of texts; `null` when it is absent. */
  words(name: string): readonly string[] | null {
    const found = this.#find([name]);
    if (found === null) return null;
    const { value, path } = found;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.#add('E_CONFIG_VALUE', path, `${path.join('.')} is not a list of words`);
    return null;
  }

  /** Says that the model has something in it that is not modelled, at the key that shows it. */
  refuse(name: string, message: string): void {
    this.#add('E_UNSUPPORTED', this.#find([name])?.path ?? [], message);
  }

  wrong(name: string, message: string): void {
    this.#add('E_CONFIG_VALUE', this.#find([name])?.path ?? [], message);
  }

  #find(names: readonly string[]): { readonly value: unknown; readonly path: string[] } | null {
    for (const { path, keys } of this.#sections) {
      for (const name of names) {
        const value = Object.hasOwn(keys, name) ? keys[name] : null;
        if (value !== null && value !== undefined) return { value, path: [...path, name] };
      }
    }
    return null;
  }

  #add(code: ErrorCode, path: readonly string[], message: string): void {
    this.#problems.add({ code, ...placeInJson(this.#text, path), message, hint: null });
  }
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
