/** Request bodies of OpenAI-style dialects. */
import { ProblemsError, usageProblem, type JsonValue, type Problem } from '../base/index.ts';
import type { RequestIntent } from './dialect.ts';
import { asObject } from './json-object.ts';

type Body = Record<string, unknown>;

/**
 * The fields every OpenAI-style dialect shares, after the prompt fields, then `extra`.
 *
 * A field of `extra` or of the user's own body that contradicts a field the measurement relies on
 * (stream, usage, one choice, the planned length) is a problem, never silently overwritten.
 */
export function buildOpenAiBody(intent: RequestIntent, promptFields: Body): Body {
  const problems: Problem[] = [];
  const own = intent.prompt.kind === 'body' ? intent.prompt.body : {};
  const needed: Body = {
    ...(intent.model === null ? {} : { model: intent.model }),
    ...promptFields,
    ...lengthFields(intent),
    stream: intent.stream,
  };
  const body: Body = { ...own, ...needed };
  for (const given of [own, intent.extra]) mergeGiven(body, given, needed, problems);
  const streamOptions = streamOptionsOf(intent, own, problems);
  if (streamOptions !== null) body['stream_options'] = streamOptions;
  if (problems.length > 0) throw new ProblemsError(problems);
  return body;
}

function lengthFields(intent: RequestIntent): Body {
  if (intent.maxTokens === null) return {};
  const limit = { [intent.maxTokensField]: intent.maxTokens };
  return intent.exactTokens ? { ...limit, ignore_eos: true, min_tokens: intent.maxTokens } : limit;
}

/** Copies what the user gave, unless it contradicts what is needed or what can be measured. */
function mergeGiven(
  body: Body,
  given: Readonly<Record<string, JsonValue>>,
  needed: Body,
  problems: Problem[],
): void {
  for (const [field, value] of Object.entries(given)) {
    if (field === 'stream_options') continue;
    if (field in needed && needed[field] !== value) {
      const ours = JSON.stringify(needed[field]);
      problems.push(conflict(field, value, `the run itself sets ${field} to ${ours}`));
    } else if (field === 'n' && value !== 1) {
      problems.push(conflict(field, value, 'a load test measures one choice per request'));
    } else if (field === 'echo' && value === true) {
      problems.push(conflict(field, value, 'an echoed prompt would count as output'));
    } else {
      body[field] = value;
    }
  }
}

/** `null` when the request needs none. */
function streamOptionsOf(
  intent: RequestIntent,
  own: Readonly<Record<string, JsonValue>>,
  problems: Problem[],
): Body | null {
  const given = { ...asObject(own['stream_options']), ...asObject(intent.extra['stream_options']) };
  const needed: Body = {};
  if (intent.stream && intent.usage !== 'none') needed['include_usage'] = true;
  if (intent.stream && intent.usage === 'perEvent') needed['continuous_usage_stats'] = true;
  for (const [option, value] of Object.entries(needed)) {
    if (option in given && given[option] !== value) {
      problems.push(
        conflict(`stream_options.${option}`, given[option], 'output tokens are counted from usage'),
      );
    }
  }
  const all = { ...given, ...needed };
  return Object.keys(all).length === 0 ? null : all;
}

function conflict(field: string, value: unknown, because: string): Problem {
  return usageProblem(
    'E_CONFIG_CONFLICT',
    `body field ${field}: ${JSON.stringify(value)} contradicts the measurement: ${because}`,
    `remove ${field} from the body fields`,
  );
}
