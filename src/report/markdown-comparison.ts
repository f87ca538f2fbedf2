/** A comparison as Markdown, for a pull request. */
import type { Comparison } from '../comparison/index.ts';
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
import { literal, table } from './markdown-text.ts';

const TEXT_LIMIT = 2_000;

/** Lines ended by `\n`. */
export function markdownComparison(comparison: Comparison): string {
  const { a, b, attribution, excluded, metrics, tool, unit } = comparison;
  const item = (label: string, text: string | null): string[] =>
    text === null ? [] : [`- **${label}:** ${literal(text, TEXT_LIMIT)}`];
  const rows = metrics.map((metric) => [
    `\`${metric.metric}\``,
    metricValue(metric, metric.a),
    metricValue(metric, metric.b),
    changeText(metric),
    intervalText(metric),
    sizeText(metric.minimumEffect, metric),
    sizeText(metric.noiseFloor, metric),
    sizeText(metric.detectable, metric),
    verdictText(metric.verdict),
  ]);
  const lines = [
    `## ${literal(comparisonWord(comparison))}: ${literal(headline(comparison), TEXT_LIMIT)}`,
    '',
    ...item('Design', designText(comparison)),
    ...item('A', a.label),
    ...item('B', b.label),
    ...attribution.differing.flatMap((fact) => item('Asked differently', factText(fact))),
    '',
    ...table(
      [
        'metric',
        'A',
        'B',
        'change',
        '95 % interval',
        'minimum effect',
        'A/A floor',
        'finds at 80 %',
        'verdict',
      ],
      rows,
    ),
    '',
    ...item('Answers', qualityText(comparison)),
    ...item('Hypothesis', hypothesisText(comparison)),
    ...item('Noise', floorText(comparison)),
    ...item('Systems', systemText(comparison)),
    ...attribution.caveats.flatMap((text) => item('Caveat', text)),
    ...excluded.flatMap(({ unit: at, reason }) => item('Left out', `${unit} ${at + 1}, ${reason}`)),
    '',
    `goodput ${literal(tool.version)}, question ${comparison.questionHash.slice(0, 12)}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
