import { describe, expect, it } from 'vitest';
import { plainObjective } from '../slo/index.ts';
import { correctnessOf, fittedObjective, type JudgedRun } from './fitted-objective.ts';

const SYNTHETIC: JudgedRun = {
  workload: {
    kind: 'synthetic',
    input: { kind: 'fixed', tokens: 10 },
    output: { kind: 'fixed', tokens: 10 },
    prefix: { kind: 'unique' },
  },
  checks: [{ kind: 'json', name: 'is-json' }],
};
const BODIES: JudgedRun = {
  workload: { kind: 'bodies', path: 'bodies.jsonl', order: 'sequential' },
  checks: [],
};

const finishOf = (run: JudgedRun, namesFinish = false) =>
  fittedObjective({ objective: plainObjective(), namesFinish }, run).request.correctness.finish;

describe('an objective fitted to a run', () => {
  it('lets answers reach the length that the workload set', () => {
    expect(finishOf(SYNTHETIC)).toEqual(['stop', 'length']);
  });

  it('keeps to the finish reasons that its author named', () => {
    expect(finishOf(SYNTHETIC, true)).toEqual(['stop']);
  });

  it('allows nothing more where request bodies set their own lengths', () => {
    expect(finishOf(BODIES)).toEqual(['stop']);
  });

  it('is, where nothing was asked, correctness with the checks of the run', () => {
    const { request, population } = correctnessOf(SYNTHETIC);
    expect(request.correctness).toMatchObject({
      finish: ['stop', 'length'],
      checks: SYNTHETIC.checks,
    });
    expect([request.ttft, request.tpot, population.attainmentShare]).toEqual([null, null, null]);
  });
});
