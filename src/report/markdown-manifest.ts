/** What the result depends on: facts measured, declared or unknown, and how to repeat the run. */
import type { Fact, Manifest } from '../record/index.ts';
import type { Summary } from '../summary/index.ts';
import { countFigure } from './figures.ts';
import { fenced, literal, textTable } from './markdown-text.ts';

export function manifestSections(summary: Summary, manifest: Manifest): string[] {
  return [
    manifest.simulated === null ? '## What was measured' : '## What was simulated',
    '',
    ...factsTable(manifest),
    '',
    ...(manifest.simulated === null ? UNKNOWN_FACTS : []),
    '## How to reproduce',
    '',
    ...reproduction(summary, manifest),
  ];
}

const UNKNOWN_FACTS = [
  'A fact that is unknown may differ the next time without anybody noticing: declare it.',
  '',
];

function factsTable(manifest: Manifest): string[] {
  const { target, counting, host } = manifest;
  const known = (name: string, value: string, from: string): string[] => [
    name,
    literal(value),
    from,
  ];
  return textTable(
    ['fact', 'value', 'known how'],
    [
      known(
        'target',
        `${target.url} (${target.api}, ${target.stream ? 'streaming' : 'one body'})`,
        'asked',
      ),
      known('prefix cache policy', manifest.prefixCache, 'asked'),
      // There is nothing to know of a server that does not exist.
      ...Object.entries(manifest.facts)
        .filter(([, fact]) => manifest.simulated === null || fact.from !== 'unknown')
        .map(([name, fact]) => factRow(name, fact)),
      known('output tokens counted by', countingText(counting), 'preflight'),
      known('exact output lengths', counting.exactOutput ? 'asked' : 'not asked', 'asked'),
      ...simulatedRows(manifest.simulated),
      known('client host', `${host.cpus} × ${host.cpuModel}, ${host.os}`, 'measured'),
      known(
        'client memory',
        `${countFigure(Math.round(host.memoryBytes / 2 ** 20))} MiB`,
        'measured',
      ),
      known(
        'tool',
        `${manifest.tool.name} ${manifest.tool.version}, Node ${manifest.tool.node}`,
        'measured',
      ),
      known('started', manifest.startedAt, 'measured'),
    ],
  );
}

/** A row per setting of the simulated service; none for a measured run. */
function simulatedRows(simulated: Manifest['simulated']): string[][] {
  if (simulated === null || typeof simulated !== 'object') return [];
  return Object.entries(simulated).map(([name, value]) =>
    factRow(name, { from: 'declared', value }),
  );
}

function factRow(name: string, fact: Fact): string[] {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (fact.from === 'unknown') return [words, '**unknown**', 'nobody said'];
  const value = typeof fact.value === 'string' ? fact.value : JSON.stringify(fact.value);
  return [words, literal(value), fact.from];
}

function countingText({ tokens, oneTokenPerEvent }: Manifest['counting']): string {
  const by = {
    usage: "the server's usage at the end",
    perEventUsage: "the server's usage with every event",
    none: 'nobody: token figures are unknown',
  }[tokens];
  return oneTokenPerEvent ? `${by}; declared: one token per event` : by;
}

/** A run folder holds the spec as the YAML it can be run from. */
function specText({ spec }: Manifest): string {
  return typeof spec === 'string' ? spec.trimEnd() : JSON.stringify(spec, null, 2);
}

function reproduction(summary: Summary, manifest: Manifest): string[] {
  const seeds = Object.entries(manifest.seeds).map(([name, seed]) => `${name} ${seed}`);
  return [
    `- run ${literal(manifest.runId)}, experiment ${literal(summary.experimentHash)}`,
    `- seeds: ${literal(seeds.join(', '))}`,
    ...manifest.scheduleHashes.map(
      (hash, index) => `- schedule of load point ${index}: ${literal(hash)}`,
    ),
    '',
    manifest.simulated === null
      ? 'Save this as `run.yaml` and run `goodput run run.yaml`; the same seeds give the same schedule.'
      : 'Save this as `run.yaml` and run `goodput simulate run.yaml` with the settings above; the same seeds give the same records.',
    '',
    ...fenced('yaml', specText(manifest)),
    '',
  ];
}
