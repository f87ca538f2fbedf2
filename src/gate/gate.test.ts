import { describe, expect, it } from 'vitest';
import { gateExitCode, stalenessCheck, type GateCheck, type GateState } from './gate.ts';

const check = (state: GateState): GateCheck => ({ name: 'n', state, reason: 'r' });

describe('a gate', () => {
  it('names what makes a capacity stale, and leaves out what one side does not know', () => {
    const measured = { model: 'a', gpu: 'H100', serverVersion: null, mix: { input: 512 } };
    const now = { model: 'a', gpu: 'H200', serverVersion: '0.9', mix: { input: 512 } };
    const stale = stalenessCheck(measured, now, { blocks: true });
    expect(stale).toMatchObject({
      state: 'blocked',
      reason: expect.stringContaining('gpu was "H100", is "H200"'),
    });
    expect(stalenessCheck(measured, { ...now, gpu: 'H100' }, { blocks: true }).state).toBe(
      'passed',
    );
    expect(stalenessCheck({}, {}, { blocks: true }).state).toBe('undecided');
  });

  it('puts a broken measurement before a block, and doubt only where proof is asked', () => {
    expect(gateExitCode([check('blocked'), check('invalid')], false)).toBe(4);
    expect(gateExitCode([check('blocked'), check('passed')], false)).toBe(3);
    expect(gateExitCode([check('undecided'), check('warned')], false)).toBe(0);
    expect(gateExitCode([check('undecided')], true)).toBe(6);
  });
});
