/**
 * A comparison as JUnit XML, which CI systems show as tests: one case a metric, failed where B is
 * worse, skipped where there is too little data.
 */
import { printable } from '../base/index.ts';
import type { Comparison, MetricComparison } from '../comparison/index.ts';
import {
  changeText,
  comparisonWord,
  designText,
  factText,
  headline,
  intervalText,
  qualityText,
  verdictText,
} from './comparison-words.ts';

const TEXT_LIMIT = 2_000;

/** UTF-8 text with its XML declaration. */
export function junitComparison(comparison: Comparison): string {
  const cases = [questionCase(comparison), ...comparison.metrics.map((each) => metricCase(each))];
  const count = (of: TestCase['state']): number => cases.filter(({ state }) => state === of).length;
  const totals = {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  const name = `goodput compare: ${comparison.a.label} and ${comparison.b.label}`;
  const out = `${designText(comparison)}\n${comparisonWord(comparison)}: ${headline(comparison)}\n${qualityText(comparison) ?? ''}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(totals)}>`,
    `  <testsuite${attributes({ name, ...totals, time: 0 })}>`,
    ...cases.map(caseText),
    `    <system-out>${escaped(out)}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface TestCase {
  readonly name: string;
  readonly group: string;
  readonly state: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
}

/** Sides that were asked differently fail no metric, and pass none either: the measurement is broken. */
function questionCase({ attribution }: Comparison): TestCase {
  return {
    name: 'both sides were asked the same',
    group: 'question',
    state: attribution.allowed ? 'passed' : 'error',
    message: attribution.differing.map(factText).join('; '),
  };
}

function metricCase(metric: MetricComparison): TestCase {
  const { verdict, metric: name, group } = metric;
  const state =
    verdict === 'worse' ? 'failure' : verdict === 'notEnoughData' ? 'skipped' : 'passed';
  const message = `${verdictText(verdict)}: ${changeText(metric)} (${intervalText(metric)})`;
  return { name, group, state, message };
}

function caseText({ name, group, state, message }: TestCase): string {
  const open = `    <testcase${attributes({ name, classname: `goodput.compare.${group}`, time: 0 })}`;
  if (state === 'passed') return `${open}/>`;
  const type = state === 'skipped' ? {} : { type: group };
  return `${open}><${state}${attributes({ message, ...type })}/></testcase>`;
}

/** Attributes as XML has them, values escaped. */
export function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** Text that is sound in an attribute and in an element; controls, which XML has none of, as escapes. */
function escaped(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, TEXT_LIMIT))
    .join('\n')
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
