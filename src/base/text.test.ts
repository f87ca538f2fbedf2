import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineWord, printable } from './text.ts';

describe('printable', () => {
  it('keeps a server from driving the terminal', () => {
    expect(printable('\u001b[2Jgone\u0007')).toBe('\\u001b[2Jgone\\u0007');
    expect(printable('a\nb\r')).toBe('a\\u000ab\\u000d');
    expect(printable('safe\u202eexe.fdp')).toBe('safe\\u202eexe.fdp');
  });

  it('keeps ordinary text of any script, emoji included', () => {
    expect(printable('naïve 漢字 🙂')).toBe('naïve 漢字 🙂');
  });

  it('cuts long text and says so', () => {
    expect(printable('x'.repeat(300), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('never lets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- they are what must be absent
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
      }),
    );
  });
});

describe('machineWord', () => {
  it('takes codes and refuses prose, which could quote a prompt', () => {
    expect(machineWord('context_length_exceeded')).toBe('context_length_exceeded');
    expect(machineWord(429)).toBe('429');
    expect(machineWord('Your prompt "secret" is too long')).toBeNull();
    expect(machineWord({})).toBeNull();
  });
});
