/** Request bodies of every dialect: our own fields, the user's, and what must not be among these. */
import { ProblemsError, usageProblem, type JsonValue, type Problem } from '../base/index.ts';
import type { PromptInput, RequestIntent, SaidMessage } from './dialect.ts';
import { asObject } from './json-object.ts';

/** Fields of a body; nested fields are objects. */
export type Body = Record<string, unknown>;

/** Fields by path (`options.n`) that may have one value only, and why. */
export type RefusedFields = Readonly<
  Record<string, { readonly allowed: JsonValue; readonly because: string }>
>;

export interface BodyPlan {
  /** Name of the dialect, for messages. */
  readonly dialect: string;
  /** Fields the measurement relies on. */
  readonly needed: Body;
  readonly refused: RefusedFields;
  /** Whether `needed` forces the planned length where it was asked for. */
  readonly exactLength: boolean;
}

/**
 * The fields a dialect needs, over the user's own body and with the extra fields, merged into each
 * other level by level.
 *
 * Errors: ProblemsError for all that contradicts the measurement, never silently overwritten, and
 * for an exact length where the API has no way to ask for one.
 */
export function requestBody(intent: RequestIntent, plan: BodyPlan): Body {
  const problems: Problem[] = [];
  if (intent.exactTokens && !plan.exactLength) problems.push(noExactLength(plan.dialect));
  const body: Body = {};
  const own = intent.prompt.kind === 'body' ? intent.prompt.body : {};
  for (const given of [own, intent.extra])
    merge(body, given, plan.needed, { path: '', plan, problems });
  const all = joined(body, plan.needed);
  if (problems.length > 0) throw new ProblemsError(problems);
  return all;
}

interface MergeContext {
  readonly path: string;
  readonly plan: BodyPlan;
  readonly problems: Problem[];
}

/** Copies what was given, unless it contradicts what is needed or what can be measured. */
function merge(body: Body, given: Readonly<Body>, needed: Body, context: MergeContext): void {
  for (const [name, value] of Object.entries(given)) {
    const path = context.path === '' ? name : `${context.path}.${name}`;
    const ours = Object.hasOwn(needed, name) ? needed[name] : undefined;
    const inner = asObject(value);
    const refused = Object.hasOwn(context.plan.refused, path)
      ? context.plan.refused[path]
      : undefined;
    if (inner !== null && (ours === undefined || asObject(ours) !== null)) {
      const target = { ...asObject(body[name]) };
      merge(target, inner, { ...asObject(ours) }, { ...context, path });
      define(body, name, target);
    } else if (ours !== undefined && ours !== value) {
      const because = `the run itself sets ${path} to ${JSON.stringify(ours)}`;
      context.problems.push(conflict(path, value, because));
    } else if (refused !== undefined && refused.allowed !== value) {
      context.problems.push(conflict(path, value, refused.because));
    } else {
      define(body, name, value);
    }
  }
}

/** `given` with everything in `needed` laid over it. */
function joined(given: Body, needed: Body): Body {
  const all = { ...given };
  for (const [name, value] of Object.entries(needed)) {
    const inner = asObject(value);
    all[name] = inner === null ? value : joined({ ...asObject(all[name]) }, { ...inner });
  }
  return all;
}

/** Defines rather than assigns, so that a name like `__proto__` is an ordinary field. */
function define(body: Body, name: string, value: unknown): void {
  Object.defineProperty(body, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function conflict(path: string, value: unknown, because: string): Problem {
  return usageProblem(
    'E_CONFIG_CONFLICT',
    `body field ${path}: ${JSON.stringify(value)} contradicts the measurement: ${because}`,
    `remove ${path} from the body fields`,
  );
}

function noExactLength(dialect: string): Problem {
  return usageProblem(
    'E_UNSUPPORTED',
    `the ${dialect} API has no field that forces an answer length`,
    'leave out exact: answers then end where the model ends them, at most at the planned length',
  );
}

/**
 * The fields that carry the prompt. `ofConversation`: for an API whose messages are not just a role
 * and a content, or that has the system prompt elsewhere.
 *
 * Errors: ProblemsError for messages where the API takes none in the role-and-content form
 * (`ofMessages` is `null`).
 */
export function promptFields(
  prompt: PromptInput,
  dialect: string,
  forms: {
    readonly ofText: (text: string) => Body;
    readonly ofMessages: ((messages: readonly JsonValue[]) => Body) | null;
    readonly ofConversation?: (messages: readonly SaidMessage[]) => Body;
  },
): Body {
  if (prompt.kind === 'text') return forms.ofText(prompt.text);
  if (prompt.kind === 'body') return {};
  if (prompt.kind === 'conversation') {
    const { messages } = prompt;
    if (forms.ofConversation !== undefined) return forms.ofConversation(messages);
    if (forms.ofMessages !== null) return forms.ofMessages(messages.map((each) => ({ ...each })));
    return forms.ofText(messages.map(({ content }) => content).join('\n'));
  }
  if (forms.ofMessages !== null) return forms.ofMessages(prompt.messages);
  throw new ProblemsError([
    usageProblem(
      'E_CONFIG_CONFLICT',
      `the ${dialect} API does not take chat messages in this form`,
      'use the chat API for prompts made of messages, or give whole bodies',
    ),
  ]);
}

/** `{ [name]: value }`, or nothing where there is no value. */
export function field(name: string, value: unknown): Body {
  return value === null ? {} : { [name]: value };
}

/** The system prompt, one text, and the other messages. */
export function systemApart(messages: readonly SaidMessage[]): {
  readonly system: string | null;
  readonly others: readonly SaidMessage[];
} {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    system: system.length === 0 ? null : system.join('\n'),
    others: messages.filter(({ role }) => role !== 'system'),
  };
}

/** A conversation as Anthropic's models take it: the system prompt beside the messages. */
export function anthropicConversation(messages: readonly SaidMessage[]): Body {
  const { system, others } = systemApart(messages);
  return { ...field('system', system), messages: others.map((each) => ({ ...each })) };
}

/** One user message, as most chat APIs take it. */
export function userMessage(text: string): Body {
  return { messages: [{ role: 'user', content: text }] };
}
