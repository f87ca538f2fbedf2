import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeEnv, substituteEnv } from './substitute-env.ts';

const ENV = {
  HOST: 'h',
  EMPTY: '',
  RATE: '4',
  HF_TOKEN: 'secret',
  MAX_TOKENS: '5',
  MINE: 'secret',
};

describe('substituteEnv', () => {
  test.each([
    ['http://${HOST}:80', 'http://h:80'],
    ['${RATE}${RATE}', '44'],
    ['${MISSING:-a b}', 'a b'],
    ['${MISSING:-}', ''],
    ['${EMPTY:-x}', 'x'],
    ['${EMPTY}', ''],
    ['$${HOST}', '${HOST}'],
    ['$HOST ${MAX_TOKENS} $', '$HOST 5 $'],
  ])('%s → %s', (source, text) => {
    expect(substituteEnv(source, ENV)).toEqual({ kind: 'text', text });
  });

  test.each([
    ['${MISSING}', { kind: 'unset', name: 'MISSING' }],
    ['a ${HF_TOKEN}', { kind: 'secret', name: 'HF_TOKEN' }],
    ['${api_key:-x}', { kind: 'secret', name: 'api_key' }],
    ['${HOST', { kind: 'malformed' }],
    ['${1A}', { kind: 'malformed' }],
    ['${}', { kind: 'malformed' }],
  ])('%s is refused', (source, result) => {
    expect(substituteEnv(source, ENV)).toEqual(result);
  });

  test('the variable that holds the key is refused whatever its name', () => {
    expect(substituteEnv('${MINE}', ENV, 'MINE')).toEqual({ kind: 'secret', name: 'MINE' });
  });

  test('law: an escaped text comes back as it was', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('$', '{', '}', 'A') }));
    fc.assert(
      fc.property(text, (source) => {
        expect(substituteEnv(escapeEnv(source), {})).toEqual({ kind: 'text', text: source });
      }),
    );
  });
});
