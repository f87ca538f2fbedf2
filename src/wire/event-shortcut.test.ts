import { describe, expect, test } from 'vitest';
import { EventShortcut } from './event-shortcut.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const eventOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (content: string, tokens: number): string =>
  eventOf({ id: 'a', choices: [{ delta: { content }, finish_reason: null }], usage: { tokens } });

/** A shortcut that has seen these values, each in an event of its own. */
function taught(...events: readonly string[]): EventShortcut {
  const shortcut = new EventShortcut({ lineBytes: 1_000 });
  for (const text of events) {
    const data = text.replace(/^(?:event: .*\n)?data: /, '').trim();
    shortcut.learn(bytesOf(text), { event: null, data, isStray: false });
  }
  return shortcut;
}

describe('an event like the ones before', () => {
  const shortcut = taught(chunk('a', 1), chunk('bc', 2));

  test.each(['d', 'a long text of more than sixteen bytes', 'é', '👋', '"quoted"\n\\', ''])(
    'is read with its own text %j and count',
    (content) => {
      const text = chunk(content, 12_345);
      expect(shortcut.match(bytesOf(text), 0)).toBe(bytesOf(text).length);
      expect(shortcut.message?.object).toEqual(JSON.parse(text.slice(6)));
      expect(shortcut.message?.data).toBe(text.slice(6, -2));
    },
  );

  test('is read behind as many blanks as those before', () => {
    const spaced = (text: string): string => text.replace('data: ', 'data: \t ');
    const shifted = new EventShortcut({ lineBytes: 1_000 });
    for (const text of [chunk('a', 1), chunk('bc', 2)]) {
      const data = spaced(text).slice('data: '.length, -2);
      shifted.learn(bytesOf(spaced(text)), { event: null, data, isStray: false });
    }
    const next = bytesOf(spaced(chunk('d', 3)));
    expect(shifted.match(next, 0)).toBe(next.length);
    expect(shifted.message?.object).toEqual(JSON.parse(chunk('d', 3).slice(6)));
  });

  test('is found behind another one', () => {
    const two = bytesOf(chunk('x', 3) + chunk('y', 4));
    const first = shortcut.match(two, 0);
    expect(shortcut.match(two, first)).toBe(two.length);
    expect(shortcut.message?.object).toMatchObject({ usage: { tokens: 4 } });
  });

  test('that is not whole yet is left to the decoder, wherever it is cut', () => {
    const bytes = bytesOf(chunk('xyz', 3));
    for (let length = 0; length < bytes.length; length += 1) {
      expect(shortcut.match(bytes.subarray(0, length), 0)).toBe(-1);
    }
  });
});

describe('what differs elsewhere is left to the decoder', () => {
  const known = chunk('bc', 2);
  const shortcut = taught(chunk('a', 1), known);

  test.each([
    ['a finish reason', known.replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['another key', known.replace('"content"', '"refusal"')],
    ['another kind of value', known.replace('"bc"', 'null')],
    ['a number that is no count', known.replace('"tokens":2', '"tokens":2e1')],
    ['a number that is no JSON', known.replace('"tokens":2', '"tokens":02')],
    ['a number too large to be exact', known.replace('"tokens":2', '"tokens":12345678901234567')],
    ['an escape that is none', known.replace('"bc"', String.raw`"b\xc"`)],
    ['a line end in a text', known.replace('"bc"', '"b\nc"')],
    ['a text that ends the value', known.replace('"bc"', '"b","role":"c"')],
    ['a line over its budget', known.replace('"bc"', `"${'c'.repeat(1_000)}"`)],
  ])('%s', (_what, text) => {
    expect(text).not.toBe(known);
    expect(shortcut.match(bytesOf(text), 0)).toBe(-1);
  });

  test('bytes that are no UTF-8', () => {
    const bytes = bytesOf(known);
    bytes[known.indexOf('bc')] = 0xff;
    expect(shortcut.match(bytes, 0)).toBe(-1);
  });
});

describe('nothing is learned', () => {
  test.each([
    ['from a key given twice', 'data: {"a":"x","a":"y"}\n\n', '{"a":"x","a":"y"}'],
    ['from a prototype', 'data: {"__proto__":"x"}\n\n', '{"__proto__":"x"}'],
    ['from data that another field holds too', 'id: {"a":"x"}\ndata: {"a":"x"}\n\n', '{"a":"x"}'],
    ['from data of two lines', 'data: {\ndata: "a":"x"}\n\n', '{\n"a":"x"}'],
    ['from what is no object', 'data: "x"\n\n', '"x"'],
  ])('%s', (_what, text, data) => {
    const shortcut = new EventShortcut({ lineBytes: 1_000 });
    shortcut.learn(bytesOf(text), { event: null, data, isStray: false });
    expect(shortcut.match(bytesOf(text), 0)).toBe(-1);
  });

  test('for long where no event is like the other', () => {
    const shortcut = taught(
      ...Array.from({ length: 16 }, (_, index) => eventOf({ [`key${index}`]: 'x' })),
    );
    expect(shortcut.learns).toBe(false);
  });
});
