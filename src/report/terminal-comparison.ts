/** A comparison on a terminal: the verdict first, then a row a metric, then what limits the claim. */
import type { ChangeVerdict, Comparison, MetricComparison } from '../comparison/index.ts';
import {
  changeText,
  comparisonWord,
  designText,
  factText,
  floorText,
  headline,
  hypothesisText,
  intervalText,
  metricValue,
  qualityText,
  sizeText,
  systemText,
  verdictText,
} from './comparison-words.ts';
import { aligned, labelled, PAGE_WIDTH } from './layout.ts';
import { type Palette, paletteOf } from './palette.ts';
import type { TerminalOptions } from './terminal-report.ts';

/** The report, lines ended by `\n`. `explain` adds every caveat and every unit left out. */
export function terminalComparison(comparison: Comparison, options: TerminalOptions): string {
  const width = Math.max(60, Math.min(options.width, PAGE_WIDTH));
  const palette = paletteOf(options.color);
  const line = (label: string, text: string | null): string[] =>
    text === null ? [] : labelled(label, text, width);
  const { a, b, attribution, excluded } = comparison;
  const lines = [
    ...verdictLines(comparison, width, palette),
    ...line('Design', designText(comparison)),
    ...line('A', a.label),
    ...line('B', b.label),
    ...attribution.differing.flatMap((fact) => line('Differs', factText(fact))),
    ...tableLines(comparison, palette),
    ...line('Quality', qualityText(comparison)),
    ...line('Expected', hypothesisText(comparison)),
    ...line('Noise', floorText(comparison)),
    ...line('System', systemText(comparison)),
    ...(options.explain ? attribution.caveats : attribution.caveats.slice(0, 1)).flatMap((text) =>
      line('Caveat', text),
    ),
    ...(options.explain ? excluded : excluded.slice(0, 2)).flatMap(({ unit, reason }) =>
      line('Left out', `${comparison.unit} ${unit + 1}, ${reason}`),
    ),
    ...(options.explain ? line('Method', methodText(comparison)) : []),
    ...(options.files.length === 0 ? [] : line('Files', options.files.join('  '))),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

function verdictLines(comparison: Comparison, width: number, palette: Palette): string[] {
  const word = comparisonWord(comparison);
  const paint = paintOf(comparison.verdict, palette);
  const label = word.length < 9 ? word : `${word}:`;
  const [first = '', ...rest] = labelled(label.padEnd(8), headline(comparison), width);
  const body = first.slice(label.padEnd(9).length).trimStart();
  return [
    `${palette.bold(paint(label))}${label.length < 9 ? ' '.repeat(9 - label.length) : ' '}${body}`,
    ...rest,
  ];
}

function paintOf(verdict: Comparison['verdict'], palette: Palette): (text: string) => string {
  if (verdict === 'worse' || verdict === 'notComparable') return palette.bad;
  return verdict === 'better' || verdict === 'equivalent' ? palette.good : palette.doubtful;
}

function tableLines(comparison: Comparison, palette: Palette): string[] {
  const { metrics, floorFrom } = comparison;
  if (metrics.length === 0) return [];
  const hasFloor = floorFrom === 'cached';
  const head = ['metric', 'A', 'B', 'change', '95 % interval'];
  const cells = (metric: MetricComparison): string[] => [
    metric.metric,
    metricValue(metric, metric.a),
    metricValue(metric, metric.b),
    changeText(metric),
    intervalText(metric),
    ...(hasFloor ? [sizeText(metric.noiseFloor, metric)] : []),
    sizeText(metric.detectable, metric),
    verdictText(metric.verdict),
  ];
  const rows = aligned([
    [...head, ...(hasFloor ? ['floor'] : []), 'finds', 'verdict'],
    ...metrics.map(cells),
  ]);
  const [header = '', ...body] = rows;
  return [
    '',
    palette.dim(header),
    ...body.map((row, at) => paintedRow(row, metrics[at] as MetricComparison, palette)),
    '',
  ];
}

function paintedRow(row: string, { verdict }: MetricComparison, palette: Palette): string {
  const word = verdictText(verdict);
  const paint: Partial<Record<ChangeVerdict, (text: string) => string>> = {
    worse: palette.bad,
    better: palette.good,
    changed: palette.doubtful,
  };
  const painted = paint[verdict];
  return painted === undefined ? row : `${row.slice(0, -word.length)}${painted(word)}`;
}

function methodText({ metrics, level, design }: Comparison): string {
  const method = metrics.find(({ interval }) => interval !== null)?.interval?.method ?? 'none';
  const test =
    design === 'baseline'
      ? 'Bonferroni over the metrics'
      : 'sign flips of all metrics together (maxT)';
  return (
    `intervals at ${level * 100} %: ${method}; a difference counts when ${test} leaves it less than ` +
    '5 % to chance and it is at least the minimum effect; "finds": the true difference that 80 % of ' +
    'such comparisons would show'
  );
}
