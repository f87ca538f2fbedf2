/** The lines of a scrape that some engine's table names: a tenth of what servers publish. */
import { comparableName, ENGINE_METRICS, type MetricAlias } from './engine-metrics.ts';

const FAMILY = /^(?:# TYPE )?([a-zA-Z_:][a-zA-Z0-9_:]*)/;

const KNOWN: ReadonlySet<string> = new Set(
  ENGINE_METRICS.flatMap(({ gauges, counters, histograms }) => [
    ...[...Object.values(gauges), ...Object.values(counters)].flatMap(comparableNames),
    ...Object.values(histograms)
      .flatMap(comparableNames)
      .flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  ]),
);

function comparableNames({ names }: MetricAlias): string[] {
  return names.map(comparableName);
}

/**
 * Samples and TYPE lines of known families, as they stood; `''` when no engine is known. Reads each
 * line's name and nothing else, because it runs while a load is being sent.
 */
export function knownLines(text: string): string {
  const kept = text.split('\n').filter((line) => {
    const name = FAMILY.exec(line)?.[1];
    return name !== undefined && KNOWN.has(comparableName(name));
  });
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}
