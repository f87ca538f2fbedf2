import { expect, test } from 'vitest';
import { ANY_REQUEST, NAMED_FAULTS, NO_FAULTS } from '../faults/index.ts';
import { parseFaultScript } from './parse-fault-script.ts';

const parse = (text: string) => parseFaultScript(text, { file: 'f.yaml', env: {} });

const ruleOf = (yaml: string) => {
  const parsed = parse(`faults: [${yaml}]`);
  return 'script' in parsed ? parsed.script.rules[0] : parsed.problems;
};

test('an empty script breaks nothing', () => {
  for (const text of ['', '# nothing\n', 'faults: []']) {
    expect(parse(text)).toEqual({ script: NO_FAULTS });
  }
});

test('a name is a fault with its defaults, for every request', () => {
  for (const [name, fault] of Object.entries(NAMED_FAULTS)) {
    const whole = { name, match: ANY_REQUEST, pick: { kind: 'all' }, fault };
    expect(ruleOf(`{ fault: ${name} }`)).toEqual(whole);
    // What has parameters has the same defaults for them.
    if (name === fault.kind) expect(ruleOf(`{ fault: { kind: ${name} } }`)).toEqual(whole);
  }
});

test.each([
  ['splitReads, pieceBytes: 3', { pieceBytes: 3 }],
  ['bunching, events: 4', { gather: { kind: 'events', events: 4 } }],
  ['bunching, interval: 200ms', { gather: { kind: 'interval', intervalNs: 200_000_000 } }],
  ['stall, afterEvents: 0, for: 30s', { afterEvents: 0, forNs: 30_000_000_000 }],
  ['slowLoris, bytesPerSecond: 64', { bytesPerSecond: 64 }],
  ['roleOnly, deltas: 5', { deltas: 5 }],
  ['multiToken, tokens: 3', { tokens: 3 }],
  ['lateUsage, by: 1s', { byNs: 1_000_000_000 }],
  ['reset, afterEvents: 9', { afterEvents: 9 }],
  [
    'errorEvent, message: gone, type: t, code: c',
    { afterEvents: 2, message: 'gone', type: 't', code: 'c' },
  ],
  [
    'refuse, status: 429, message: full, code: c, retryAfter: 1500ms, headers: { x-left: "0" }',
    { status: 429, message: 'full', code: 'c', headers: { 'x-left': '0', 'retry-after': '2' } },
  ],
])('parameters of %s', (written, expected) => {
  expect(ruleOf(`{ fault: { kind: ${written} } }`)).toMatchObject({ fault: expected });
});

test('which requests, and when', () => {
  expect(
    ruleOf(
      '{ name: n, fault: hang, share: 5%, from: 1s, to: 2s, firstRequest: 3, lastRequest: 4, ' +
        'api: completions, stream: false }',
    ),
  ).toEqual({
    name: 'n',
    match: {
      window: { fromNs: 1_000_000_000, toNs: 2_000_000_000 },
      firstRequest: 3,
      lastRequest: 4,
      api: 'completions',
      streamed: false,
    },
    pick: { kind: 'share', share: 0.05 },
    fault: { kind: 'hang' },
  });
  expect(ruleOf('{ fault: hang, every: 7 }')).toMatchObject({ pick: { kind: 'every', n: 7 } });
});

test('slow steps and restarts', () => {
  const text =
    'slowSteps: [{ to: 5s, factor: 2.5 }]\n' +
    'restarts: [{ from: 9s, to: 10s }, { from: 3s, to: 4s }]\n';
  expect(parse(text)).toEqual({
    script: {
      rules: [],
      slowSteps: [{ fromNs: 0, toNs: 5e9, factor: 2.5 }],
      restarts: [
        { fromNs: 3e9, toNs: 4e9 },
        { fromNs: 9e9, toNs: 10e9 },
      ],
    },
  });
});

test.each([
  ['faults: [{ fault: resett }]', 'faults[0].fault: resett is not one of', 'did you mean reset?'],
  ['faults: [{ fault: { kind: stal } }]', 'faults[0].fault.kind: stal is not a kind', null],
  ['faults: [{ fault: { kind: stall, fro: 1 } }]', 'there is no key faults[0].fault.fro', null],
  ['faults: [{ share: 1% }]', 'faults[0].fault is missing', null],
  ['faults: [{ fault: gzip, share: 2 }]', 'faults[0].share: 2 is not a share', 'write 2%'],
  ['faults: [{ fault: gzip, share: 1%, every: 2 }]', 'faults[0] has both share and every', null],
  ['faults: [{ fault: gzip, from: 3s, to: 1s }]', 'faults[0] ends before it begins', null],
  ['faults: [{ fault: gzip, firstRequest: 3, lastRequest: 2 }]', 'faults[0] ends before', null],
  ['faults: [{ fault: { kind: refuse, status: 200 } }]', 'faults[0].fault.status: 200', null],
  [
    'faults: [{ fault: { kind: bunching, events: 2, interval: 1s } }]',
    'faults[0].fault has both events and interval',
    null,
  ],
  [
    'faults: [{ fault: { kind: refuse, headers: { "a b": x } } }]',
    'faults[0].fault.headers.a b: x cannot be sent as a header',
    null,
  ],
  ['restarts: [{ from: 1s, to: 3s }, { from: 2s, to: 4s }]', 'the file has restarts that', null],
  ['restarts: [{ from: 1s, to: 30d }]', 'restarts[0].to: 30d is longer than', null],
  ['slowSteps: [{ factor: 0 }]', 'slowSteps[0].factor: 0 is not above 0', null],
  ['restart: []', 'there is no key restart', 'did you mean restarts?'],
])('%s is refused, with its place', (text, message, hint) => {
  const parsed = parse(`# a script\n${text}`);
  const [problem, ...more] = 'problems' in parsed ? parsed.problems : [];
  expect(more).toEqual([]);
  expect(problem?.message.slice(0, message.length)).toBe(message);
  if (hint !== null) expect(problem?.hint).toBe(hint);
  expect(problem?.place).toMatchObject({ file: 'f.yaml', line: 2 });
});
