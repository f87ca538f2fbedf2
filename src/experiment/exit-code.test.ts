import { describe, expect, it } from 'vitest';
import type { Summary } from '../summary/index.ts';
import { runExitCode } from './exit-code.ts';

/** The ending of a valid single run with this verdict. */
function ending(
  verdict: Summary['verdict'],
  proven: boolean | null,
  options: { sweep?: boolean; requireProof?: boolean; valid?: boolean } = {},
): Parameters<typeof runExitCode>[0] {
  const { sweep = false, requireProof = false, valid = true } = options;
  const summary = { verdict, proven, validity: { valid, reasons: [] } } as unknown as Summary;
  return { summary, interrupted: false, sweep, requireProof };
}

describe('the exit code of a run', () => {
  it('is 0 for a likely verdict, and 6 where proof is demanded', () => {
    expect(runExitCode(ending('met', false))).toBe(0);
    expect(runExitCode(ending('notEnoughData', false))).toBe(0);
    const requireProof = true;
    expect(runExitCode(ending('met', false, { requireProof }))).toBe(6);
    expect(runExitCode(ending('notEnoughData', false, { requireProof }))).toBe(6);
    expect(runExitCode(ending('met', true, { requireProof }))).toBe(0);
  });

  it('is 3 for a miss, proven or not, before 6; 4 for an invalid run, before both', () => {
    const requireProof = true;
    expect(runExitCode(ending('missed', false))).toBe(3);
    expect(runExitCode(ending('missed', false, { requireProof }))).toBe(3);
    expect(runExitCode(ending('met', false, { requireProof, valid: false }))).toBe(4);
  });

  it('is 0 where no target was set: there is nothing to prove', () => {
    expect(runExitCode(ending(null, null, { requireProof: true }))).toBe(0);
  });
});
