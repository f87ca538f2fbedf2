/** The YAML form of a fault script: `faults`, `slowSteps` and `restarts`. */
import { z } from 'zod';
import { nearestWord, NS_PER_SECOND } from '../base/index.ts';
import {
  FAULT_NAMES,
  NAMED_FAULTS,
  OVERLOAD,
  restartsOverlap,
  type Fault,
  type FaultPick,
  type FaultRule,
  type FaultScript,
} from '../faults/index.ts';
import { SERVED_DIALECT_NAMES } from '../wire/index.ts';
import {
  count,
  duration,
  expects,
  fail,
  flag,
  mapping,
  oneOf,
  positiveNumber,
  share,
  text,
  wholeNumber,
  withHint,
} from './scalars.ts';

const KINDS = [
  'splitReads',
  'bunching',
  'stall',
  'slowLoris',
  'roleOnly',
  'multiToken',
  'lateUsage',
  'gzip',
  'reset',
  'missingTerminator',
  'errorEvent',
  'hang',
  'refuse',
] as const satisfies readonly Fault['kind'][];

/** The mapping of one kind of fault, with what it does. */
function described<Shape extends z.core.$ZodLooseShape>(meaning: string, shape: Shape) {
  return mapping(shape).describe(meaning);
}

const kind = <Kind extends Fault['kind']>(name: Kind) => z.literal(name);

/** What a timer can wait for: 2³¹ ms. */
const MOST_NS = 24 * 86_400 * NS_PER_SECOND;
const isWaitable = (ns: number): boolean => ns <= MOST_NS;
const TOO_LONG = withHint('is longer than the server can wait', 'write at most 24d');

const someTime = duration('above0', '2s').refine(isWaitable, TOO_LONG);
const afterEvents = wholeNumber('a number of events', '2', 0).describe(
  'Writes of the server that still get through, the role of a chat stream included.',
);

const headers = z
  .record(
    z.string(),
    z.string(expects('text', 'quote it: "0"')),
    expects('a mapping', 'write keys'),
  )
  .superRefine((values, context) => {
    for (const [name, value] of Object.entries(values)) {
      const isHeader = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value);
      if (isHeader) continue;
      const message = withHint('cannot be sent as a header', 'write x-ratelimit-remaining: "0"');
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

const splitReads = described(
  'Every write arrives in pieces, cut anywhere: events, characters and chunk frames do not end with a read.',
  {
    kind: kind('splitReads'),
    pieceBytes: count.optional().describe('Bytes of a piece. Left out: every write in two halves.'),
  },
).transform((keys): Fault => ({ kind: keys.kind, pieceBytes: keys.pieceBytes ?? null }));

const bunching = described('A proxy gathers writes before it lets any through.', {
  kind: kind('bunching'),
  events: count.optional().describe('Writes that are let through together. Default 8.'),
  interval: duration('above0', '200ms')
    .refine(isWaitable, TOO_LONG)
    .optional()
    .describe('Let through whatever came, this often, in place of a number.'),
}).transform(({ events, interval }, context): Fault => {
  if (interval === undefined) {
    return events === undefined
      ? NAMED_FAULTS.bunching
      : { kind: 'bunching', gather: { kind: 'events', events } };
  }
  return events === undefined
    ? { kind: 'bunching', gather: { kind: 'interval', intervalNs: interval } }
    : fail(context, 'has both events and interval', 'keep one of them');
});

const stall = described(
  'After some events nothing comes for a while, then everything. A whole answer comes so much later.',
  {
    kind: kind('stall'),
    afterEvents: afterEvents.prefault(NAMED_FAULTS.stall.afterEvents),
    for: someTime.prefault('2s').describe('How long nothing comes.'),
  },
).transform((keys): Fault => ({
  kind: keys.kind,
  afterEvents: keys.afterEvents,
  forNs: keys.for,
}));

const slowLoris = described('The body trickles.', {
  kind: kind('slowLoris'),
  bytesPerSecond: count
    .prefault(NAMED_FAULTS.slowLoris.bytesPerSecond)
    .describe('Pace of the body.'),
}).transform((keys): Fault => keys);

const roleOnly = described(
  'Deltas without output open the stream, as the role does: bytes, but no first token.',
  {
    kind: kind('roleOnly'),
    deltas: count.prefault(NAMED_FAULTS.roleOnly.deltas).describe('Deltas without output.'),
  },
).transform((keys): Fault => keys);

const multiToken = described(
  'Several tokens share an event, as with speculative decoding or a slow detokenizer.',
  {
    kind: kind('multiToken'),
    tokens: count.prefault(NAMED_FAULTS.multiToken.tokens).describe('Tokens of an event.'),
  },
).transform((keys): Fault => keys);

const lateUsage = described('What follows the finish reason, usage and end mark, comes late.', {
  kind: kind('lateUsage'),
  by: someTime.prefault('500ms').describe('How long after the finish reason.'),
}).transform((keys): Fault => ({ kind: keys.kind, byNs: keys.by }));

const reset = described(
  'The connection is reset after some events, or in place of a whole answer.',
  {
    kind: kind('reset'),
    afterEvents: afterEvents.prefault(NAMED_FAULTS.reset.afterEvents),
  },
).transform((keys): Fault => keys);

const errorEvent = described(
  'After some events of a 200 an error is streamed, and nothing more. In place of a whole answer: status 500.',
  {
    kind: kind('errorEvent'),
    afterEvents: afterEvents.prefault(NAMED_FAULTS.errorEvent.afterEvents),
    message: text.prefault(NAMED_FAULTS.errorEvent.message).describe('`error.message`.'),
    type: text.prefault(NAMED_FAULTS.errorEvent.type).describe('`error.type`.'),
    code: text.optional().describe('`error.code`. Default null.'),
  },
).transform((keys): Fault => ({ ...keys, code: keys.code ?? null }));

const refuse = described(
  'An error in place of the answer: overload, a published limit, anything from 400 to 599.',
  {
    kind: kind('refuse'),
    status: wholeNumber('an HTTP status', '503', 400)
      .refine((status) => status <= 599, withHint('is no status of an error', 'write 429 or 503'))
      .prefault(OVERLOAD.status)
      .describe('HTTP status, 400 to 599.'),
    message: text.prefault(OVERLOAD.message).describe('`error.message`: evidence, or none.'),
    type: text.prefault(OVERLOAD.type).describe('`error.type`.'),
    code: text.optional().describe('`error.code`, as `rate_limit_exceeded`. Default null.'),
    retryAfter: someTime.optional().describe('`retry-after`, in whole seconds, rounded up.'),
    headers: headers.optional().describe('Further headers.'),
  },
).transform(({ retryAfter, code, headers: given = {}, ...keys }): Fault => {
  const retry =
    retryAfter === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(retryAfter / NS_PER_SECOND)) };
  return { ...keys, code: code ?? null, headers: { ...given, ...retry } };
});

const gzip = described('The body is compressed although nobody asked for it.', {
  kind: kind('gzip'),
}).transform((keys): Fault => keys);

const missingTerminator = described(
  'The last output, the finish reason and the end mark never come, and the body ends as if complete.',
  { kind: kind('missingTerminator') },
).transform((keys): Fault => keys);

const hang = described('There is no answer at all.', {
  kind: kind('hang'),
}).transform((keys): Fault => keys);

const PARAMETRIC = z.discriminatedUnion(
  'kind',
  [
    splitReads,
    bunching,
    stall,
    slowLoris,
    roleOnly,
    multiToken,
    lateUsage,
    reset,
    errorEvent,
    refuse,
    gzip,
    missingTerminator,
    hang,
  ],
  { error: withHint('is not a kind of fault', `kinds: ${KINDS.join(', ')}`) },
);

const fault = z.union(
  [
    oneOf(FAULT_NAMES).transform((name): NamedFault => ({ name, fault: NAMED_FAULTS[name] })),
    PARAMETRIC.transform((value): NamedFault => ({ name: value.kind, fault: value })),
  ],
  {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? nearestWord(input, FAULT_NAMES) : null;
      return withHint(
        `is not one of ${FAULT_NAMES.join(', ')}`,
        nearest === null ? 'write a name, or { kind: stall, for: 2s }' : `did you mean ${nearest}?`,
      );
    },
  },
);

interface NamedFault {
  readonly name: string;
  readonly fault: Fault;
}

const since = duration('any', '10s');
const BACKWARDS = 'ends before it begins';

const rule = mapping({
  name: text.optional().describe('How the log calls it. Default the fault’s own name.'),
  fault: fault.describe('What goes wrong: a name, or a mapping with `kind` and parameters.'),
  share: share.optional().describe('Share of the requests that fit. Default all of them.'),
  every: count.optional().describe('Every n-th of the requests that fit, in place of a share.'),
  from: since.prefault('0s').describe('From so long after the start of the server.'),
  to: since.optional().describe('Until so long after the start. Default for ever.'),
  firstRequest: count.prefault(1).describe('From this request on; the server numbers them from 1.'),
  lastRequest: count.optional().describe('Up to and including this request. Default all.'),
  api: oneOf(SERVED_DIALECT_NAMES).optional().describe('Only requests of this API.'),
  stream: flag.optional().describe('Only streamed answers, or (`false`) only whole ones.'),
}).transform((keys, context): FaultRule => {
  const { from, to, firstRequest, lastRequest } = keys;
  if (to !== undefined && to <= from) return fail(context, BACKWARDS, 'write to: after from:');
  if (lastRequest !== undefined && lastRequest < firstRequest) {
    return fail(context, BACKWARDS, 'write lastRequest: from firstRequest: on');
  }
  if (keys.share !== undefined && keys.every !== undefined) {
    return fail(context, 'has both share and every', 'keep one of them');
  }
  return {
    name: keys.name ?? keys.fault.name,
    match: {
      window: { fromNs: from, toNs: to ?? null },
      firstRequest,
      lastRequest: lastRequest ?? null,
      api: keys.api ?? null,
      streamed: keys.stream ?? null,
    },
    pick: pickOf(keys.share, keys.every),
    fault: keys.fault.fault,
  };
});

function pickOf(wanted: number | undefined, every: number | undefined): FaultPick {
  if (wanted !== undefined) return { kind: 'share', share: wanted };
  return every === undefined ? { kind: 'all' } : { kind: 'every', n: every };
}

const slowSteps = mapping({
  from: since.prefault('0s').describe('From so long after the start of the server.'),
  to: since.optional().describe('Until so long after the start. Default for ever.'),
  factor: positiveNumber('a factor', '3').describe(
    'On the duration of every step that begins then.',
  ),
}).transform(({ from, to, factor }, context) =>
  to !== undefined && to <= from
    ? fail(context, BACKWARDS, 'write to: after from:')
    : { fromNs: from, toNs: to ?? null, factor },
);

const restart = mapping({
  from: since
    .refine(isWaitable, TOO_LONG)
    .describe('When the engine crashes, after the start of the server.'),
  to: since.refine(isWaitable, TOO_LONG).describe('When it is back.'),
}).transform(({ from, to }, context) =>
  to <= from ? fail(context, BACKWARDS, 'write to: after from:') : { fromNs: from, toNs: to },
);

const list = <Item extends z.ZodType>(item: Item, example: string) =>
  z.array(item, expects('a list', `write - ${example}`)).default([]);

/** A whole {@link FaultScript} as YAML keys. */
export const faultScriptKeys = mapping({
  faults: list(rule, 'fault: reset').describe(
    'Rules, tried in order: the first one that fits a request and picks it has it.',
  ),
  slowSteps: list(slowSteps, '{ from: 10s, to: 20s, factor: 3 }').describe(
    'Stretches in which every engine step takes longer; the first that fits counts.',
  ),
  restarts: list(restart, '{ from: 30s, to: 35s }').describe(
    'Crashes: connections are cut, none is accepted until the engine is back, its cache is gone.',
  ),
}).transform(({ faults, slowSteps: slow, restarts }, context): FaultScript => {
  const script: FaultScript = {
    rules: faults,
    slowSteps: slow,
    restarts: restarts.toSorted((a, b) => a.fromNs - b.fromNs),
  };
  return restartsOverlap(script)
    ? fail(context, 'has restarts that overlap', 'let the engine be up in between')
    : script;
});
