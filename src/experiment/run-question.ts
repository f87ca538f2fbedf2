/** What a run was asked, and of what system, as facts that can be compared. */
import type { JsonValue } from '../base/index.ts';
import type { Question } from '../comparison/index.ts';
import type { RunSpec } from '../config/index.ts';
import type { Fact, Manifest } from '../record/index.ts';

/** The question of a run, from its spec and what its preflight settled. */
export function questionOf(spec: RunSpec, manifest: Manifest): Question {
  const { facts, counting, target, source, clock, prefixCache } = manifest;
  const { durationNs, requests, warmupNs, atEnd, retry, latenessLimitNs, seeds, budget } = spec;
  return {
    objective: asJson(spec.objective),
    checks: asJson(spec.checks),
    workload: asJson(spec.workload),
    load: asJson(spec.load),
    window: asJson({
      durationNs,
      requests,
      warmupNs,
      atEnd,
      retry,
      latenessLimitNs,
      maxInFlight: budget.maxInFlight,
    }),
    seeds: asJson(seeds),
    model: factValue(facts.model),
    prefixCache,
    api: { name: target.api, stream: target.stream },
    counting: asJson(counting),
    sampling: { body: asJson(spec.target.body), declared: factValue(facts.sampling) },
    source: { source, clock },
  };
}

/** What is known of the system that answered, and of what measured it. */
export function systemFacts(spec: RunSpec, manifest: Manifest): Record<string, JsonValue> {
  const { model: _, sampling: __, ...facts } = manifest.facts;
  return {
    target: manifest.target.url,
    ...Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, factValue(fact)])),
    ...spec.declare,
    simulated: manifest.simulated,
    goodput: manifest.tool.version,
    host: asJson(manifest.host),
  };
}

function factValue(fact: Fact): JsonValue {
  return fact.from === 'unknown' ? null : fact.value;
}

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}
