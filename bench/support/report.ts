/** What every benchmark does alike: it reads `--quick`, names the machine, prints Markdown. */
import { cpus, loadavg, release, type } from 'node:os';
import { sampleQuantile } from '../../src/stats/index.ts';

/** `--quick`: just long enough to see that the benchmark works. Its numbers mean nothing. */
export const QUICK = process.argv.includes('--quick');

export type Row = readonly (string | number)[];

export function printTitle(title: string, method: readonly string[]): void {
  const cores = cpus();
  const load = loadavg().map((share) => share.toFixed(2));
  const machine =
    `Machine: ${cores.length} × ${cores[0]?.model ?? 'unknown processor'}, ${type()} ${release()}, ` +
    `Node ${process.version}; load average at the start ${load.join(' ')}.`;
  print([
    `## ${title}`,
    QUICK ? 'QUICK: a smoke test, not a measurement.' : '',
    machine,
    ...method,
  ]);
}

export function printTable(head: Row, rows: readonly Row[]): void {
  const line = (row: Row): string => `| ${row.join(' | ')} |`;
  process.stdout.write(`${[head, head.map(() => '---'), ...rows].map(line).join('\n')}\n\n`);
}

/** Paragraphs; empty ones are left out. */
export function print(paragraphs: readonly string[]): void {
  for (const text of paragraphs) if (text !== '') process.stdout.write(`${text}\n\n`);
}

export function median(values: readonly number[]): number {
  return sampleQuantile(values, 0.5, 'nearestRank');
}

/** The named quantiles of a sample, each scaled and rounded, as one cell: `12.1 / 40.3`. */
export function quantilesText(
  values: readonly number[],
  options: { readonly qs: readonly number[]; readonly unit: number; readonly digits: number },
): string {
  if (values.length === 0) return 'none';
  const { qs, unit, digits } = options;
  return qs
    .map((q) => (sampleQuantile(values, q, 'nearestRank') / unit).toFixed(digits))
    .join(' / ');
}
