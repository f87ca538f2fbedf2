import type { MetricFamily, MetricLabels, MetricSample, MetricType } from './metric-family.ts';

/** What a scrape held. A server's text is data: a bad line is reported and never crashes. */
export interface ParsedMetrics {
  /** In order of appearance. */
  readonly families: readonly MetricFamily[];
  /** Numbers of lines that are not in the format, counted from 1. */
  readonly malformedLines: readonly number[];
}

const TYPES: readonly string[] = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const COMMENT = /^#[ \t]+(HELP|TYPE)[ \t]+([a-zA-Z_:][a-zA-Z0-9_:]*)(?:[ \t]+(.*))?$/;
const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*/y;
const VALUE = /^[ \t]*(\S+)(?:[ \t]+(-?\d+))?[ \t]*$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

interface OpenFamily {
  readonly name: string;
  type: MetricType;
  help: string | null;
  readonly samples: MetricSample[];
}

/** Reads the Prometheus text format 0.0.4. Lines of one family need not stand together. */
export function parseMetrics(text: string): ParsedMetrics {
  const families = new Map<string, OpenFamily>();
  const familyNamed = (name: string): OpenFamily => {
    const family = families.get(name) ?? { name, type: 'untyped', help: null, samples: [] };
    families.set(name, family);
    return family;
  };
  const malformedLines: number[] = [];
  for (const [at, rawLine] of text.split('\n').entries()) {
    const line = rawLine.trim();
    if (line === '') continue;
    if (line.startsWith('#')) {
      const [, keyword, name, rest = ''] = COMMENT.exec(line) ?? [];
      if (keyword === undefined || name === undefined) continue;
      if (keyword === 'HELP') familyNamed(name).help = unescape(rest);
      else if (TYPES.includes(rest)) familyNamed(name).type = rest as MetricType;
      else malformedLines.push(at + 1);
      continue;
    }
    const sample = parseSample(line);
    if (sample === null) malformedLines.push(at + 1);
    else (ownerOf(sample.name, families) ?? familyNamed(sample.name)).samples.push(sample);
  }
  return { families: [...families.values()], malformedLines };
}

/** `x_bucket` belongs to histogram `x`, unless a family of its own name was declared. */
function ownerOf(sampleName: string, families: Map<string, OpenFamily>): OpenFamily | undefined {
  const own = families.get(sampleName);
  if (own !== undefined) return own;
  const base = families.get(sampleName.replace(/_(?:bucket|sum|count)$/, ''));
  return base?.type === 'histogram' || base?.type === 'summary' ? base : undefined;
}

function parseSample(line: string): MetricSample | null {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return null;
  const parsed = parseLabels(line, name.length);
  if (parsed === null) return null;
  const [, valueText, timestampText] = VALUE.exec(line.slice(parsed.end)) ?? [];
  const value = valueText === undefined ? null : parseValue(valueText);
  if (value === null) return null;
  const timestampMs = timestampText === undefined ? null : Number(timestampText);
  return { name, labels: parsed.labels, value, timestampMs };
}

function parseLabels(line: string, from: number): { labels: MetricLabels; end: number } | null {
  let at = from;
  while (line[at] === ' ' || line[at] === '\t') at += 1;
  if (line[at] !== '{') return at > from ? { labels: {}, end: at } : null;
  at += 1;
  const labels: [string, string][] = [];
  for (;;) {
    LABEL.lastIndex = at;
    const [whole, name, value] = LABEL.exec(line) ?? [];
    if (whole === undefined || name === undefined || value === undefined) break;
    labels.push([name, unescape(value)]);
    at += whole.length;
    if (line[at] !== ',') break;
    at += 1;
  }
  while (line[at] === ' ' || line[at] === '\t') at += 1;
  if (line[at] !== '}') return null;
  // fromEntries defines own properties, so even a label called __proto__ stays a label.
  return { labels: Object.fromEntries(labels), end: at + 1 };
}

function parseValue(text: string): number | null {
  if (/^\+?Inf$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-Inf$/i.test(text)) return Number.NEGATIVE_INFINITY;
  if (/^NaN$/i.test(text)) return Number.NaN;
  return NUMBER.test(text) ? Number(text) : null;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (whole, character: string) => {
    if (character === 'n') return '\n';
    return character === '\\' || character === '"' ? character : whole;
  });
}
