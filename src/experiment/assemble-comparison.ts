/** What was measured on two sides → the comparison that is shown and stored. */
import type { JsonValue } from '../base/index.ts';
import {
  answerHypothesis,
  type Attribution,
  type ComparedSide,
  type Comparison,
  COMPARISON_LEVEL,
  COMPARISON_SCHEMA_VERSION,
  type ComparedPair,
  comparePairs,
  differingFacts,
  type MetricComparison,
  type MinimumEffects,
  type NoiseFloor,
  noiseFloorOf,
  qualityVerdict,
  type Question,
  questionHash,
  serviceVerdict,
  type WindowFigures,
} from '../comparison/index.ts';
import type { RunSpec } from '../config/index.ts';
import type { Manifest } from '../record/index.ts';
import { openRun } from '../store/index.ts';
import type { MeasuredPair, MeasuredWindow } from './measure-pairs.ts';
import { questionOf, systemFacts } from './run-question.ts';
import { pointFigures } from './slice-run.ts';

/** How a run of one side was asked. */
export interface AskedRun {
  readonly spec: RunSpec;
  readonly manifest: Manifest;
}

export interface ComparisonInputs {
  readonly toolVersion: string;
  readonly design: Comparison['design'];
  readonly unit: Comparison['unit'];
  readonly labels: { readonly a: string; readonly b: string };
  readonly runIds: { readonly a: readonly string[]; readonly b: readonly string[] };
  readonly asked: { readonly a: AskedRun; readonly b: AskedRun };
  readonly metrics: readonly MetricComparison[];
  readonly unitsMeasured: number;
  readonly excluded: Comparison['excluded'];
  readonly floor: NoiseFloor | null;
  readonly isNoiseFloor: boolean;
  readonly caveats: readonly string[];
}

/** The comparison, with what may be said of its cause. */
export function assembleComparison(inputs: ComparisonInputs): Comparison {
  const { asked, metrics, isNoiseFloor } = inputs;
  const question = questionOf(asked.a.spec, asked.a.manifest);
  const hash = questionHash(question);
  const floor = isNoiseFloor ? noiseFloorOf(hash, metrics) : inputs.floor;
  const attribution = attributionOf(inputs, question);
  const { hypothesis } = asked.b.spec;
  const side = (name: 'a' | 'b'): ComparedSide => ({
    label: inputs.labels[name],
    runIds: inputs.runIds[name],
  });
  return {
    schemaVersion: COMPARISON_SCHEMA_VERSION,
    tool: { name: 'goodput', version: inputs.toolVersion },
    design: inputs.design,
    unit: inputs.unit,
    isNoiseFloor,
    a: side('a'),
    b: side('b'),
    questionHash: hash,
    objective: question.objective,
    level: COMPARISON_LEVEL,
    unitsMeasured: inputs.unitsMeasured,
    excluded: inputs.excluded,
    metrics,
    floorFrom: floor === null ? null : isNoiseFloor ? 'measured' : 'cached',
    biasedMetrics: Object.entries(floor?.metrics ?? {}).flatMap(([name, { biased }]) =>
      biased ? [name] : [],
    ),
    attribution,
    hypothesis: hypothesis === null ? null : answerHypothesis(hypothesis, metrics),
    verdict: serviceVerdict(metrics, attribution.allowed),
    quality: qualityVerdict(metrics),
  };
}

function attributionOf({ asked, caveats }: ComparisonInputs, question: Question): Attribution {
  const other = questionOf(asked.b.spec, asked.b.manifest);
  const differing = differingFacts(facts(question), facts(other));
  return {
    allowed: differing.length === 0,
    differing,
    systemChanges: differingFacts(
      systemFacts(asked.a.spec, asked.a.manifest),
      systemFacts(asked.b.spec, asked.b.manifest),
    ),
    caveats,
  };
}

function facts(question: Question): Record<string, JsonValue> {
  return { ...question };
}

/** What is compared of windows that were measured in turn. */
export interface PairedInputs extends Pick<
  ComparisonInputs,
  'toolVersion' | 'labels' | 'floor' | 'isNoiseFloor' | 'caveats'
> {
  readonly spec: RunSpec;
  readonly pairs: readonly MeasuredPair[];
  readonly design: 'interleaved' | 'restarts';
  readonly effects: MinimumEffects;
}

/**
 * `null` without a pair.
 * Errors: ProblemsError, EnvironmentError when a window's records cannot be read again.
 */
export async function compareMeasuredPairs(inputs: PairedInputs): Promise<Comparison | null> {
  const { pairs, spec, design, effects, floor, ...rest } = inputs;
  const [first] = pairs;
  if (first === undefined) return null;
  const restarts = design === 'restarts';
  const figures: ComparedPair[] = [];
  for (const { a, b } of pairs) {
    figures.push({ a: await figuresOf(a, spec), b: await figuresOf(b, spec) });
  }
  const { metrics, excluded } = comparePairs(figures, {
    // The two windows of a side in the middle of A B B A share one start of it.
    pairsPerUnit: restarts ? 2 : 1,
    seed: spec.seeds.arrivals,
    effects,
    floor,
  });
  return assembleComparison({
    ...rest,
    design,
    unit: restarts ? 'block' : 'pair',
    floor,
    metrics,
    excluded,
    unitsMeasured: pairs.length,
    runIds: {
      a: pairs.map(({ a }) => a.manifest.runId),
      b: pairs.map(({ b }) => b.manifest.runId),
    },
    asked: { a: { spec, manifest: first.a.manifest }, b: { spec, manifest: first.b.manifest } },
  });
}

/** The one load point of a window. */
async function figuresOf(
  { dir, manifest, summary }: MeasuredWindow,
  spec: RunSpec,
): Promise<WindowFigures> {
  const [point] = manifest.points;
  const [judged] = summary.points;
  if (point === undefined || judged === undefined) {
    return { unusable: 'nothing was measured', values: {}, requests: {} };
  }
  return pointFigures({ run: await openRun(dir), spec }, point, judged);
}
