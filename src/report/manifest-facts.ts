/** What the result depends on, fact by fact, and how each is known. */
import type { Fact, Manifest } from '../record/index.ts';
import { countFigure, rateFigure } from './figures.ts';

export interface KnownFact {
  readonly name: string;
  /** `null` = nobody said. */
  readonly value: string | null;
  /** `asked`, `measured`, `declared`, `preflight`. */
  readonly from: string;
}

/** Every fact of a run, untrusted text as it came. */
export function factsOf(manifest: Manifest): KnownFact[] {
  const { target, counting, host } = manifest;
  const known = (name: string, value: string, from: string): KnownFact => ({ name, value, from });
  const memoryMib = Math.round(host.memoryBytes / 2 ** 20);
  return [
    known(
      'target',
      `${target.url} (${target.api}, ${target.stream ? 'streaming' : 'one body'})`,
      'asked',
    ),
    known('prefix cache policy', manifest.prefixCache, 'asked'),
    // There is nothing to know of a server that does not exist.
    ...Object.entries(manifest.facts)
      .filter(([, fact]) => manifest.simulated === null || fact.from !== 'unknown')
      .map(([name, fact]) => factOf(name, fact)),
    known('output tokens counted by', countingText(counting), 'preflight'),
    known('exact output lengths', counting.exactOutput ? 'asked' : 'not asked', 'asked'),
    ...simulatedFacts(manifest.simulated),
    known('client host', `${host.cpus} × ${host.cpuModel}, ${host.os}`, 'measured'),
    known('client memory', `${countFigure(memoryMib)} MiB`, 'measured'),
    ...calibrationFacts(manifest),
    known(
      'tool',
      `${manifest.tool.name} ${manifest.tool.version}, Node ${manifest.tool.node}`,
      'measured',
    ),
    known('started', manifest.startedAt, 'measured'),
  ];
}

/** What `goodput doctor` had measured of this client, and whether it is of this run. */
function calibrationFacts({ calibration }: Manifest): KnownFact[] {
  if (calibration === null) return [];
  const { client, misfits } = calibration;
  const { streamCount, chunksRps, startsRps } = client.reached;
  const fit = misfits.length === 0 ? '' : `; not used, other ${misfits.join(', ')}`;
  const rhythm = client.burst ? 'all at once' : 'spread';
  return [
    {
      name: 'client calibration',
      value:
        `${client.measuredAt}: ${countFigure(Math.round(streamCount))} streams, ` +
        `${countFigure(Math.round(chunksRps))} chunks/s ${rhythm}, ${rateFigure(startsRps)} starts${fit}`,
      from: 'measured',
    },
  ];
}

/** A fact per setting of the simulated service; none for a measured run. */
function simulatedFacts(simulated: Manifest['simulated']): KnownFact[] {
  if (simulated === null || typeof simulated !== 'object') return [];
  return Object.entries(simulated).map(([name, value]) =>
    factOf(name, { from: 'declared', value }),
  );
}

function factOf(name: string, fact: Fact): KnownFact {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (fact.from === 'unknown') return { name: words, value: null, from: 'nobody said' };
  const value = typeof fact.value === 'string' ? fact.value : JSON.stringify(fact.value);
  return { name: words, value, from: fact.from };
}

function countingText({ tokens, oneTokenPerEvent, local }: Manifest['counting']): string {
  const server = {
    usage: "the server's usage at the end",
    perEventUsage: "the server's usage with every event",
    none: 'nobody: token figures are unknown',
  }[tokens];
  const by = local?.judged === true ? `${local.tokenizer}, not by the server` : server;
  return oneTokenPerEvent ? `${by}; declared: one token per event` : by;
}

/** A run folder holds the spec as the YAML it can be run from. */
export function specText({ spec }: Manifest): string {
  return typeof spec === 'string' ? spec.trimEnd() : JSON.stringify(spec, null, 2);
}

/** How to repeat a run whose spec was saved. */
export function repeatText(manifest: Manifest): string {
  return manifest.simulated === null
    ? 'Save this as `run.yaml` and run `goodput run run.yaml`; the same seeds give the same schedule.'
    : 'Save this as `run.yaml` and run `goodput simulate run.yaml` with the settings above; the same seeds give the same records.';
}
