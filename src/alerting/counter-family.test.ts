import { expect, it } from 'vitest';
import { type Objective, parseObjective } from '../slo/index.ts';
import { objectiveRevision } from './counter-family.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if (!('objective' in parsed)) throw new Error(text);
  return parsed.objective;
}

it('is another revision when a request could be judged otherwise, and only then', () => {
  const objective = objectiveOf('ttft<=500ms, tpot<=40ms, attainment>=97%');
  const revision = objectiveRevision(objective);
  expect(objectiveRevision(objectiveOf('ttft<=500ms, tpot<=40ms, attainment>=99%'))).toBe(revision);
  expect(objectiveRevision(objectiveOf('ttft<=501ms, tpot<=40ms'))).not.toBe(revision);
});

it('stays what it was when a later version can ask for more', () => {
  const objective = objectiveOf('ttft<=500ms');
  const later = { ...objective.request, limitOfTomorrowNs: null };
  expect(objectiveRevision({ ...objective, request: later })).toBe(objectiveRevision(objective));
});
