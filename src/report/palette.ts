/** The few colours of the terminal report. Plain text is the same text without them. */

export interface Palette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
}

/** ANSI codes when `color`, else nothing. Whether to ask for colour is the caller's to decide. */
export function paletteOf(color: boolean): Palette {
  const paint = (on: number, off: number) => (text: string) =>
    color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    good: paint(32, 39),
    bad: paint(31, 39),
    doubtful: paint(33, 39),
  };
}
