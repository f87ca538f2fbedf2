/** The lines of a scrape that some engine's table names: a tenth of what servers publish. */
import { comparableName, ENGINE_METRICS, type MetricAlias } from './engine-metrics.ts';

const SINGLES: readonly string[] = ENGINE_METRICS.flatMap(({ gauges, counters }) =>
  [...Object.values(gauges), ...Object.values(counters)].flatMap(comparableNames),
);

const HISTOGRAMS: readonly string[] = ENGINE_METRICS.flatMap(({ histograms }) =>
  Object.values(histograms).flatMap(comparableNames),
);

const KNOWN: ReadonlySet<string> = new Set([
  ...SINGLES,
  ...HISTOGRAMS.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
]);

const PREFIXES = new Set([...SINGLES, ...HISTOGRAMS].map((name) => name.split('_')[0]));

/** Lines of somebody's prefix, found by the regular expression engine alone: most are nobody's. */
const CANDIDATE = new RegExp(`^(?:# TYPE )?(?:${[...PREFIXES].join('|')})[:_].*`, 'gm');
const NAME = /^(?:# TYPE )?([a-zA-Z0-9_:]+)/;

function comparableNames({ names }: MetricAlias): string[] {
  return names.map(comparableName);
}

/**
 * Samples and TYPE lines of known families, as they stood, each ended by a line feed. Reads no more
 * than the names, because it runs while a load is being sent.
 */
export function knownLines(text: string): string {
  return (text.match(CANDIDATE) ?? [])
    .filter((line) => KNOWN.has(comparableName(NAME.exec(line)?.[1] ?? '')))
    .map((line) => `${line}\n`)
    .join('');
}
