import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { InvariantError } from '../base/index.ts';
import { fitLeastSquares } from './least-squares.ts';

/** Residuals of a straight model: rows · point − target. */
function straight(rows: readonly (readonly number[])[], target: readonly number[]) {
  return (point: readonly number[]): number[] =>
    rows.map(
      (row, index) =>
        row.reduce((sum, a, column) => sum + a * (point[column] as number), 0) -
        (target[index] as number),
    );
}

test('a straight problem is solved exactly', () => {
  const residuals = straight(
    [
      [1, 2],
      [3, -1],
      [1, 1],
    ],
    [5, 1, 3],
  );
  const fit = fitLeastSquares({ residuals, start: [0, 0], lower: [0, 0], rounds: 50 });
  expect(fit.point[0]).toBeCloseTo(1, 4);
  expect(fit.point[1]).toBeCloseTo(2, 4);
  expect(fit.cost).toBeLessThan(1e-6);
});

test('an entry that wants below its bound ends on it, and the others make the best of that', () => {
  const residuals = straight(
    [
      [1, 0],
      [1, 1],
    ],
    [-3, 1],
  );
  const fit = fitLeastSquares({ residuals, start: [1, 1], lower: [0, 0], rounds: 50 });
  expect(fit.point[0]).toBe(0);
  expect(fit.point[1]).toBeCloseTo(1, 4);
});

test('a curved problem is followed to its minimum', () => {
  const at = [0, 1, 2, 3, 4];
  const residuals = ([size = 0, rate = 0]: readonly number[]): number[] =>
    at.map((x) => size * Math.exp(-rate * x) - 2 * Math.exp(-0.5 * x));
  const fit = fitLeastSquares({ residuals, start: [1, 1], lower: [0, 0], rounds: 100 });
  expect(fit.point[0]).toBeCloseTo(2, 2);
  expect(fit.point[1]).toBeCloseTo(0.5, 2);
});

test('an entry without influence stays where it was', () => {
  const residuals = straight([[1, 0]], [4]);
  const fit = fitLeastSquares({ residuals, start: [1, 0.7], lower: [0, 0], rounds: 50 });
  expect(fit.point[1]).toBe(0.7);
});

test('law: never worse than the start, never below a bound', () => {
  const number = fc.double({ min: -3, max: 3, noNaN: true });
  const rows = fc.array(fc.tuple(number, number, number), { minLength: 3, maxLength: 8 });
  fc.assert(
    fc.property(rows, fc.array(number, { minLength: 8, maxLength: 8 }), (matrix, target) => {
      const residuals = straight(matrix, target);
      const start = [1, 1, 1];
      const { point, cost } = fitLeastSquares({ residuals, start, lower: [0, 0.5, 1], rounds: 30 });
      const before = residuals(start).reduce((sum, r) => sum + r * r, 0);
      expect(cost).toBeLessThanOrEqual(before);
      expect(point.every((value, index) => value >= [0, 0.5, 1][index]!)).toBe(true);
    }),
  );
});

test('too many parameters, or a start out of bounds, is the caller’s bug', () => {
  const residuals = (): number[] => [0];
  const seven = [1, 1, 1, 1, 1, 1, 1];
  const run = (start: readonly number[], lower: readonly number[]) => () =>
    fitLeastSquares({ residuals, start, lower, rounds: 1 });
  expect(run(seven, seven)).toThrow(InvariantError);
  expect(run([0], [1])).toThrow(/within their bounds/);
});
