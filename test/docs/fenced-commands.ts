/** Fenced commands of Markdown files, as the docs tests run them. */

export interface FencedBlock {
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Comment right above the fence, which says who runs it if not the docs test. */
  readonly comment: string | null;
}

export function fencedBlocks(markdown: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = markdown.split('\n');
  let open: { language: string; line: number; text: string[] } | null = null;
  for (const [at, line] of lines.entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence === null) open?.text.push(line);
    else if (open === null) open = { language: fence[1] ?? '', line: at + 1, text: [] };
    else {
      const above = lines[open.line - 2] ?? '';
      const comment = /^<!-- (.*) -->$/.exec(above)?.[1] ?? null;
      blocks.push({
        language: open.language,
        line: open.line,
        text: open.text.join('\n'),
        comment,
      });
      open = null;
    }
  }
  return blocks;
}
