/** The `target` section: the service under test and how to reach it. */
import { z } from 'zod';
import { DIALECT_NAMES } from '../wire/index.ts';
import { quotaSection } from './quota-schema.ts';
import { count, duration, expects, flag, mapping, oneOf, text, withHint } from './scalars.ts';
import { isUnixUrl, readUnixUrl, unixUrlFault } from './unix-url.ts';

/** Values that JSON can carry, for extra body fields and declared facts. */
export const jsonRecord = z.record(
  z.string(),
  z.json(),
  expects('a mapping', 'write keys and values under it'),
);

/** Headers and query parameters that carry keys. */
const CREDENTIAL_NAME =
  /^(?:authorization|proxy-authorization|cookie|key|.*api[-_]?key|.*token|.*secret)$/i;

const SECRET_IN_SPEC = 'holds a credential, and a spec is printed and stored';

const urlChecked = (fault: (value: string) => string | null): z.ZodString =>
  z.string(expects('a URL', 'write http://127.0.0.1:8000')).superRefine((value, context) => {
    const message = fault(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A URL of a Unix socket is checked as what it stands for. */
function targetFault(value: string): string | null {
  if (!isUnixUrl(value)) return urlFault(value);
  return unixUrlFault(value) ?? urlFault(readUnixUrl(value)?.url ?? value);
}

const ENDPOINT =
  /\/(?:(?:chat\/)?completions?|responses|messages|generate_stream|text\/generation_stream|[^/]*:streamGenerateContent|converse-stream|predictions)\/?$/;

function urlFault(value: string): string | null {
  const fault = addressFault(value);
  if (fault !== null) return fault;
  const { hash, pathname } = new URL(value);
  if (hash !== '') return withHint('is not a base URL', 'leave out everything from #');
  return ENDPOINT.test(pathname)
    ? withHint('is not a base URL', 'leave out the endpoint: api adds it')
    : null;
}

/** What is wrong with an address that is printed and stored; `null` when nothing is. */
export function addressFault(value: string): string | null {
  if (!URL.canParse(value)) return withHint('is not a URL', 'write http://127.0.0.1:8000');
  const { protocol, username, password, searchParams } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') {
    // A mistyped user:password@host must not come back in the hint.
    const bare = /[@?]/.test(value) ? '127.0.0.1:8000' : value.replace(/^\w+:\/+/, '');
    return withHint('is not an http or https URL', `write http://${bare}`);
  }
  const holdsKey = [...searchParams.keys()].some((name) => CREDENTIAL_NAME.test(name));
  if (username !== '' || password !== '' || holdsKey) {
    return withHint(SECRET_IN_SPEC, 'put the key in a variable: keyEnv: NAME');
  }
  return null;
}

const variableName = z
  .string(expects('the name of a variable', 'write keyEnv: OPENAI_API_KEY'))
  .refine((value) => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value), {
    // Whatever is not a name may well be the key itself.
    error: withHint(
      'is not the name of a variable, and a key itself may not be in a spec',
      'write keyEnv: OPENAI_API_KEY',
    ),
  });

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'te',
  'upgrade',
  'expect',
]);

const keyHeader = z
  .string(expects('a header name', 'write keyHeader: api-key'))
  .superRefine((value, context) => {
    const message = keyHeaderFault(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform((value) => value.toLowerCase());

function keyHeaderFault(value: string): string | null {
  if (!HEADER_NAME.test(value)) {
    // `api-key: sk-…` is an easy mistake, so what follows must not be shown.
    return withHint('is not a header name, and a key may not be in a spec', 'write api-key');
  }
  return OWN_HEADERS.has(value.toLowerCase())
    ? withHint('is a header that goodput sets itself', 'write api-key')
    : null;
}

const headers = z
  .record(
    z.string(),
    z.union([z.string(), z.number()], expects('text', 'quote it: "…"')).transform(String),
    expects('a mapping', 'write name: value under it'),
  )
  .superRefine((record, context) => {
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(record)) {
      const fault = headerFault(name, value, seen);
      if (fault !== null) context.addIssue({ code: 'custom', path: [name], message: fault });
      seen.add(name.toLowerCase());
    }
  });

function headerFault(name: string, value: string, seen: ReadonlySet<string>): string | null {
  if (!HEADER_NAME.test(name)) {
    return withHint('is not a header name', 'write letters, digits and -');
  }
  if (CREDENTIAL_NAME.test(name)) {
    return withHint(
      SECRET_IN_SPEC,
      'remove it: the key of keyEnv or keyFile is sent, in the header that keyHeader names',
    );
  }
  if (OWN_HEADERS.has(name.toLowerCase())) {
    return withHint('is a header that goodput sets itself', 'remove it');
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    return withHint('has a character that no header may hold', 'write printable ASCII');
  }
  return seen.has(name.toLowerCase()) ? withHint('is given twice', 'keep one of them') : null;
}

const OWN_BODY_FIELDS: ReadonlyMap<string, string> = new Map([
  ['model', 'write target.model'],
  ['stream', 'write target.stream'],
  ['messages', 'use workload.prompts, or workload.bodies for whole bodies'],
  ['prompt', 'use workload.prompts, or workload.bodies for whole bodies'],
  ['max_tokens', 'write workload.output'],
  ['max_completion_tokens', 'write workload.output'],
  ['min_tokens', 'write target.exact'],
  ['ignore_eos', 'write target.exact'],
]);

const body = jsonRecord.superRefine((fields, context) => {
  for (const [name, value] of Object.entries(fields)) {
    const instead = OWN_BODY_FIELDS.get(name);
    if (instead !== undefined) {
      const message = withHint('is a body field that goodput sets itself', instead);
      context.addIssue({ code: 'custom', path: [name], message });
    } else if (name === 'n' && value !== 1) {
      const message = withHint('asks for more than one choice, which is not judged', 'remove it');
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }
});

/** A path has a slash or ends in `.json`; anything else is a name. */
const tokenizer = text.transform((value) =>
  /[/\\]|\.json$/i.test(value)
    ? ({ kind: 'file', path: value } as const)
    : ({ kind: 'gpt', vocabulary: value } as const),
);

/** `target` in a run file. */
export const targetSection = mapping({
  url: urlChecked(targetFault).describe(
    'Base URL of the service; `/v1` is added unless the path ends in a version. ' +
      '`http+unix://%2Frun%2Fllm.sock` names a Unix socket.',
  ),
  api: oneOf(DIALECT_NAMES)
    .default('chat')
    .describe(`API dialect: ${DIALECT_NAMES.map((name) => `\`${name}\``).join(', ')}.`),
  model: text.optional().describe('Model name. Left out: the one that `/v1/models` offers.'),
  stream: flag
    .prefault(true)
    .describe('Stream the answers. Without it there is no TTFT, TPOT or gap to judge.'),
  keyEnv: variableName
    .nullable()
    .optional()
    .describe(
      "Name of the variable that holds the API key. Left out: the API's usual one if that is " +
        'set, `OPENAI_API_KEY` for `chat`. ' +
        '`null` in a file: no key.',
    ),
  keyFile: text.optional().describe('File that holds the API key.'),
  keyHeader: keyHeader
    .optional()
    .describe(
      'Header that carries the key: `authorization` (as `Bearer KEY`), or another, such as ' +
        '`api-key`, which carries the bare key. Left out: as the API has it.',
    ),
  headers: headers.default({}).describe('Extra request headers; never a credential.'),
  body: body.default({}).describe('Extra body fields, sent with every request.'),
  exact: flag
    .prefault(false)
    .describe('Force the planned answer length, where API and server support it.'),
  tokensPerEvent: oneOf(['one', 'unknown'])
    .default('unknown')
    .describe('`one`: the server sends exactly one token per output event, so gaps are ITL.'),
  tokenizer: tokenizer
    .optional()
    .describe(
      "The model's tokenizer, to count with here: `o200k_base`, `cl100k_base`, a model of OpenAI " +
        '(`gpt-4o`), or the path of a `tokenizer.json`. Prompts then have their exact length, and answers ' +
        'are counted where the server does not tell.',
    ),
  proxy: urlChecked(urlFault)
    .optional()
    .describe('HTTP proxy. Proxy variables of the environment are ignored.'),
  ca: text.optional().describe('PEM file of a certificate authority to trust as well.'),
  cert: text
    .optional()
    .describe('PEM file of the certificate to show to a server that asks for one; with certKey.'),
  certKey: text.optional().describe('PEM file of the private key of cert.'),
  unixSocket: text
    .optional()
    .describe("Unix socket to connect to, in place of the URL's host and port."),
  transport: oneOf(['fast', 'compat'])
    .optional()
    .describe(
      "`fast`: goodput's own HTTP/1.1 reader; `compat`: undici. Left out: `fast`, and `compat` with http2.",
    ),
  http2: flag
    .prefault(false)
    .describe('Speak HTTP/2 over TLS: many requests share a connection, and gaps are less exact.'),
  quota: quotaSection
    .optional()
    .describe(
      'Limits of the provider that the plan must stay within: `rpm=500,tpm=200k`, or keys.',
    ),
  timeout: duration('above0').prefault('10m').describe('Deadline of one request, of each try.'),
  connectTimeout: duration('above0').prefault('10s').describe('Deadline of one connection.'),
  maxLineBytes: count.prefault(1_000_000).describe('Longest line of a stream.'),
  maxResponseBytes: count.prefault(16_000_000).describe('Longest response.'),
});
