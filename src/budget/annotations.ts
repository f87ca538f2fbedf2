/** What was going on while a budget was spent, and how much of it went meanwhile. */
import { parse } from 'yaml';
import { parseInstantMs, printable, type Problem } from '../base/index.ts';

export const ANNOTATION_KINDS = ['overload', 'deploy', 'incident', 'maintenance', 'other'] as const;

export interface Annotation {
  readonly kind: (typeof ANNOTATION_KINDS)[number];
  readonly note: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A YAML or JSON list of `{kind, from, to, note}`. Errors: problems at the file's entries. */
export function parseAnnotations(
  text: string,
  file: string,
): { readonly annotations: readonly Annotation[] } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const fail = (message: string): void => {
    const hint = `write - { kind: deploy, from: 2026-11-03T09:00:00Z, to: 2026-11-03T10:00:00Z, note: "…" }; kinds: ${ANNOTATION_KINDS.join(', ')}`;
    problems.push({ code: 'E_CONFIG_VALUE', message, hint, place: { file, line: 1, column: 1 } });
  };
  let list: unknown;
  try {
    list = parse(text, { schema: 'core' });
  } catch {
    list = null;
  }
  if (!Array.isArray(list)) {
    fail('the annotations are no list');
    return { problems };
  }
  const annotations = list.flatMap((entry: unknown, at): Annotation[] => {
    const { kind, from, to, note } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const [fromMs, toMs] = [parseInstantMs(String(from)), parseInstantMs(String(to))];
    const known = ANNOTATION_KINDS.find((each) => each === kind);
    if (known === undefined) fail(`annotation ${at + 1} has no known kind`);
    else if (fromMs === null || toMs === null || toMs <= fromMs) {
      fail(`annotation ${at + 1} has no span: from and to are instants with a zone`);
    } else {
      const said = typeof note === 'string' ? printable(note) : '';
      return [{ kind: known, note: said, fromMs, toMs }];
    }
    return [];
  });
  return problems.length > 0 ? { problems } : { annotations };
}
