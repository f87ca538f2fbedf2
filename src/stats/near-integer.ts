/**
 * Ceiling and floor for products of decimals. `0.07 * 100` is 7.000000000000001 in binary, yet
 * whoever wrote 0.07 means rank 7, not 8. A product within a few units in the last place of a
 * whole number is taken to be that number; nothing further away is touched.
 */

const TOLERANCE = 8 * Number.EPSILON;

/** The ceiling of `value`, float noise just above a whole number forgiven. */
export function ceilNear(value: number): number {
  return Math.ceil(snapped(value));
}

/** The floor of `value`, float noise just below a whole number forgiven. */
export function floorNear(value: number): number {
  return Math.floor(snapped(value));
}

function snapped(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= TOLERANCE * Math.abs(value) ? whole : value;
}
