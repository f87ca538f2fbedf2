/** What the result depends on: facts measured, declared or unknown, and how to repeat the run. */
import type { Manifest } from '../record/index.ts';
import type { Summary } from '../summary/index.ts';
import { factsOf, repeatText, specText } from './manifest-facts.ts';
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
  return textTable(
    ['fact', 'value', 'known how'],
    factsOf(manifest).map(({ name, value, from }) => [
      name,
      value === null ? '**unknown**' : literal(value),
      from,
    ]),
  );
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
    repeatText(manifest),
    '',
    ...fenced('yaml', specText(manifest)),
    '',
  ];
}
