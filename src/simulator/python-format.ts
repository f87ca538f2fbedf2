/** Numbers as Python's format specification writes them. */

/**
 * `format(value, '.{digits}f')`. Both languages round the exact binary value; on an exact tie
 * Python takes the even digit where `toFixed` takes the larger one.
 */
export function pythonFixed(value: number, digits: number): string {
  // A double is half-way between two decimals exactly when this is an odd whole number.
  if (Math.abs((value * 2 ** (digits + 1)) % 2) !== 1) return value.toFixed(digits);
  const scaled = value * 10 ** digits;
  const below = Math.floor(scaled);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
}

/** `format(value, ',.0f')`. */
export function pythonThousands(value: number): string {
  return pythonFixed(value, 0).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `format(share, '.1%')`. */
export function pythonPercent(share: number): string {
  return `${pythonFixed(share * 100, 1)}%`;
}

/** `format(value, 'g')` for numbers that people write as rates. */
export function pythonGeneral(value: number): string {
  return String(Number(value.toPrecision(6)));
}
