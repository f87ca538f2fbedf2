/**
 * A share as people read it: `95.6 %`. Below 1 it never reads as 100 % and above 0 never as 0 %: a
 * single miss in ten thousand must show. The one way in which shares are written.
 */
export function percentText(share: number): string {
  // Rounding noise of a difference is no share: it would read as -0.0 %.
  const percent = Math.abs(share) < 1e-9 ? 0 : 100 * share;
  for (const decimals of [1, 2, 3, 4]) {
    const text = percent.toFixed(decimals);
    const hides = (share < 1 && Number(text) === 100) || (percent > 0 && Number(text) === 0);
    if (!hides) return `${text} %`;
  }
  return share < 0.5 ? '< 0.0001 %' : '> 99.9999 %';
}
