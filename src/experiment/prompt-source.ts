/** The workload section of a spec → the source that schedules are planned from. */
import { assertNever, ProblemsError } from '../base/index.ts';
import type { RunSpec, WorkloadSpec } from '../config/index.ts';
import {
  counted,
  cutNotes,
  type Imported,
  type ImportedSessions,
  parseAzureTrace,
  parseBailianTrace,
  parseBodiesFile,
  parseKvCacheTrace,
  parseMooncakeTrace,
  parsePromptJsonLines,
  parsePromptText,
  parseSessionTrace,
  parseShareGpt,
  parseShareGptSessions,
  withinContext,
} from '../importers/index.ts';
import {
  type HistoryMode,
  type PromptSource,
  type SessionMix,
  truncateRows,
} from '../workload/index.ts';

export interface ResolvedSource {
  readonly source: PromptSource;
  /** What a reader of the results should know: rows left out, sorted, truncated. */
  readonly notes: readonly string[];
  /** The prefix cache policy, as every verdict names it. */
  readonly prefixCache: string;
}

/** Whether the source's texts are made to a planned length, which the server's counts then tell. */
export function isMadeOfWords({ kind }: PromptSource): boolean {
  return MADE_OF_WORDS.has(kind);
}

const MADE_OF_WORDS: ReadonlySet<PromptSource['kind']> = new Set([
  'synthetic',
  'classes',
  'trace',
  'sessions',
  'calls',
]);

/**
 * Reads the files that the workload names.
 * Errors: {@link ProblemsError} with every problem of a file; whatever `readText` fails with.
 */
export function resolvePromptSource(
  workload: RunSpec['workload'],
  readText: (path: string) => string,
): ResolvedSource {
  switch (workload.kind) {
    case 'synthetic':
      return { source: workload, notes: [], prefixCache: prefixText(workload.prefix) };
    case 'classes': {
      const policies = workload.classes.map(({ name, prefix }) => `${name} ${prefixText(prefix)}`);
      const policy = workload.classes.every(({ prefix }) => prefix.kind === 'unique')
        ? 'unique'
        : policies.join('; ');
      return { source: workload, notes: [], prefixCache: policy };
    }
    case 'prompts': {
      const { path, format, output, order, prefix } = workload;
      const { value, notes } = imported(PROMPT_PARSERS[format](readText(path), { file: path }));
      const source: PromptSource = { kind: 'prompts', path, entries: value, output, order, prefix };
      return { source, notes, prefixCache: prefixText(prefix) };
    }
    case 'bodies': {
      const { path, order } = workload;
      const { value, notes } = imported(parseBodiesFile(readText(path), { file: path }));
      const source: PromptSource = { kind: 'bodies', path, entries: value, order };
      return { source, notes, prefixCache: 'as given by the bodies' };
    }
    case 'sessions':
      return { source: workload, notes: [], prefixCache: sessionsText(workload) };
    case 'conversations': {
      const { path, output, order, prefix, history } = workload;
      const { value, notes } = imported(parseShareGptSessions(readText(path), { file: path }));
      const unique = prefix.kind === 'unique';
      const kind = 'conversations';
      return {
        source: { kind, path, conversations: value, output, order, unique, history },
        notes,
        prefixCache: `sessions, ${historyText(history)}`,
      };
    }
    case 'trace':
      return traceSource(workload, readText(workload.path));
    default:
      return assertNever(workload);
  }
}

const SESSION_PARSERS = {
  sessions: parseSessionTrace,
  bailian: parseBailianTrace,
  kvcache: parseKvCacheTrace,
} as const;

function sessionSource(
  { path, history, maxContextTokens }: Extract<WorkloadSpec, { kind: 'trace' }>,
  { value, notes }: { readonly value: ImportedSessions; readonly notes: readonly string[] },
): ResolvedSource {
  const cut = withinContext(value.sessions, maxContextTokens ?? Number.POSITIVE_INFINITY);
  const { blockTokens, blockScope } = value;
  return {
    source: { kind: 'calls', path, sessions: cut.sessions, blockTokens, blockScope, history },
    notes: [...notes, ...cutNotes(cut, maxContextTokens ?? 0)],
    prefixCache:
      blockTokens === null ? `sessions, ${historyText(history)}` : 'sessions, the trace’s blocks',
  };
}

const PROMPT_PARSERS = {
  text: parsePromptText,
  jsonl: parsePromptJsonLines,
  sharegpt: parseShareGpt,
} as const;

function traceSource(
  workload: Extract<WorkloadSpec, { kind: 'trace' }>,
  text: string,
): ResolvedSource {
  const { path, format, badRows, maxPromptTokens, maxOutputTokens } = workload;
  if (format !== 'azure' && format !== 'mooncake') {
    return sessionSource(workload, imported(SESSION_PARSERS[format](text, { file: path })));
  }
  const parse = format === 'azure' ? parseAzureTrace : parseMooncakeTrace;
  const { value, notes } = imported(parse(text, { file: path, badRows }));
  const cut = truncateRows(value.rows, { maxPromptTokens, maxOutputTokens });
  const cutNotes = [
    cut.truncatedPrompts > 0
      ? `${cut.truncatedPrompts} of the trace's ${counted(value.rows.length, 'prompt')} are cut to ${maxPromptTokens} tokens`
      : null,
    cut.truncatedOutputs > 0
      ? `${cut.truncatedOutputs} of the trace's ${counted(value.rows.length, 'answer')} are cut to ${maxOutputTokens} tokens`
      : null,
  ].filter((note) => note !== null);
  return {
    source: { kind: 'trace', path, rows: cut.rows },
    notes: [...notes, ...cutNotes],
    prefixCache: format === 'mooncake' ? 'as the trace’s blocks' : 'unique',
  };
}

/** What a prefix cache may find of a session: its own past, and a system prompt. */
function sessionsText({ system, history }: SessionMix): string {
  const shared = system.map(({ tokens, share }) =>
    share === 1 ? `${tokens} tokens` : `${tokens} tokens for ${Number((100 * share).toFixed(2))} %`,
  );
  const prompt = shared.length === 0 ? '' : `, shared system prompt of ${shared.join(', ')}`;
  return `sessions, ${historyText(history)}${prompt}`;
}

function historyText(history: HistoryMode): string {
  return history === 'planned' ? 'planned history' : 'history of real answers';
}

function prefixText(prefix: Extract<WorkloadSpec, { kind: 'synthetic' }>['prefix']): string {
  switch (prefix.kind) {
    case 'unique':
      return 'unique';
    case 'shared':
      return `shared: ${prefix.tokens} tokens, ${counted(prefix.groups, 'group')}`;
    case 'asGiven':
      return 'as given by the prompts';
    default:
      return assertNever(prefix);
  }
}

function imported<T>(result: Imported<T>): {
  readonly value: T;
  readonly notes: readonly string[];
} {
  if (result.kind === 'problems') throw new ProblemsError(result.problems);
  return result;
}
