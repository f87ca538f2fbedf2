/** Lines of a text file that are not blank, with their numbers. */

export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** LF or CRLF, byte order mark and a missing last line end allowed. */
export function textLines(text: string): TextLine[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content }))
    .filter((line) => line.text.trim() !== '');
}
