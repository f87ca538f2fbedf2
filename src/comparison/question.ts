/** Whether two sides were asked the same: only then is a difference one of the service. */
import { canonicalJson, contentHash, type JsonValue } from '../base/index.ts';

/**
 * What was asked of one side, fact by fact. Two sides with different facts were asked different
 * questions.
 */
export interface Question {
  readonly objective: JsonValue;
  /** Answer checks. */
  readonly checks: JsonValue;
  readonly workload: JsonValue;
  readonly load: JsonValue;
  /** Duration, warm-up, end, budget in flight. */
  readonly window: JsonValue;
  /** Of arrivals, lengths and order of prompts; not of prompt text, which is always fresh. */
  readonly seeds: JsonValue;
  readonly model: JsonValue;
  readonly prefixCache: string;
  readonly api: JsonValue;
  /** How tokens are counted. */
  readonly counting: JsonValue;
  readonly sampling: JsonValue;
  /** Measured or simulated, and by whose clock. */
  readonly source: JsonValue;
}

export interface FactDifference {
  readonly fact: string;
  readonly a: JsonValue;
  readonly b: JsonValue;
}

/** The facts that differ; where both are mappings, the keys in them that do: `load.rate`. */
export function differingFacts(
  a: Readonly<Record<string, JsonValue>>,
  b: Readonly<Record<string, JsonValue>>,
): FactDifference[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((fact) => {
    const [left, right] = [a[fact] ?? null, b[fact] ?? null];
    if (canonicalJson(left) === canonicalJson(right)) return [];
    if (!isMapping(left) || !isMapping(right)) return [{ fact, a: left, b: right }];
    return differingFacts(left, right).map((inner) => ({
      ...inner,
      fact: `${fact}.${inner.fact}`,
    }));
  });
}

function isMapping(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Names a question without its seeds: a noise floor measured with one set of schedules holds for
 * others of the same kind.
 */
export function questionHash(question: Question): string {
  return contentHash({ ...question, seeds: null });
}
