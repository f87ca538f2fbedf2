import { assert } from '../base/index.ts';
import type { MetricFamily, MetricLabels, MetricSample } from './metric-family.ts';

/** Content type under which servers send the text of {@link renderMetrics}. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Writes metric families in the Prometheus text format 0.0.4. */
export function renderMetrics(families: readonly MetricFamily[]): string {
  return families.map((family) => familyText(family)).join('');
}

function familyText({ name, type, help, samples }: MetricFamily): string {
  assert(METRIC_NAME.test(name), `${name} is not a metric name`);
  const helpLine = help === null ? '' : `# HELP ${name} ${escapeHelp(help)}\n`;
  return `${helpLine}# TYPE ${name} ${type}\n${samples.map((one) => sampleText(one)).join('')}`;
}

function sampleText({ name, labels, value, timestampMs }: MetricSample): string {
  assert(METRIC_NAME.test(name), `${name} is not a metric name`);
  const timestamp = timestampMs === null ? '' : ` ${timestampMs}`;
  return `${name}${labelsText(labels)} ${valueText(value)}${timestamp}\n`;
}

function labelsText(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    assert(LABEL_NAME.test(name), `${name} is not a label name`);
    return `${name}="${escapeLabel(value)}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
