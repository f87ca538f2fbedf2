/** Points on a plane drawn with characters. */

export interface ScatterMark {
  readonly x: number;
  readonly y: number;
  readonly glyph: string;
  /** Where two marks meet, the one of higher rank shows. */
  readonly rank: number;
}

export interface ScatterOptions {
  readonly width: number;
  readonly height: number;
  readonly xName: string;
  readonly yName: string;
  readonly xText: (value: number) => string;
  readonly yText: (value: number) => string;
}

/** Lines of the plot: y upwards from its lowest mark, x to the right. None without marks. */
export function textScatter(marks: readonly ScatterMark[], options: ScatterOptions): string[] {
  if (marks.length === 0) return [];
  const { width, height, xText, yText } = options;
  const [xs, ys] = [marks.map(({ x }) => x), marks.map(({ y }) => y)];
  const [xLow, xHigh] = [Math.min(...xs), Math.max(...xs)];
  const [yLow, yHigh] = [Math.min(...ys), Math.max(...ys)];
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  for (const { x, y, glyph } of marks.toSorted((a, b) => a.rank - b.rank)) {
    const row = height - 1 - cellOf(y, yLow, yHigh, height);
    const line = cells[row];
    if (line !== undefined) line[cellOf(x, xLow, xHigh, width)] = glyph;
  }
  const margin = Math.max(yText(yHigh).length, yText(yLow).length, options.yName.length);
  const labels = cells.map((_, row) =>
    row === 0 ? yText(yHigh) : row === height - 1 ? yText(yLow) : '',
  );
  const low = xText(xLow);
  const high = xText(xHigh);
  const between = Math.max(1, width - low.length - high.length);
  return [
    options.yName.padStart(margin),
    ...cells.map((line, row) =>
      `${(labels[row] ?? '').padStart(margin)} │${line.join('')}`.trimEnd(),
    ),
    `${' '.repeat(margin)} └${'─'.repeat(width)}`,
    `${' '.repeat(margin)}  ${low}${' '.repeat(between)}${high}  ${options.xName}`,
  ];
}

/** Which of `count` cells a value falls in; all in the first where there is no range. */
function cellOf(value: number, low: number, high: number, count: number): number {
  return high === low ? 0 : Math.round(((value - low) / (high - low)) * (count - 1));
}
