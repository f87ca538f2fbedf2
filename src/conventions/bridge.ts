/** The figures of a tool beside goodput's, and the bridge of changes between them. */
import { NS_PER_SECOND } from '../base/index.ts';
import type {
  Convention,
  ConventionSource,
  Lack,
  LatencyMeasure,
  RateMeasure,
} from './convention.ts';
import { STATISTICS, statisticsOf, type Statistic } from './distribution.ts';
import { OWN_LATENCIES, OWN_NAMES, ownRate } from './own-figures.ts';
import type { Sample } from './sample.ts';

export interface BridgeStep {
  /** One difference between the two definitions. */
  readonly why: string;
  /** What it adds, on top of the steps before it; in the unit of the row. */
  readonly change: number;
}

export interface BridgeRow {
  /** The tool's name of the measure. */
  readonly measure: string;
  readonly statistic: Statistic | null;
  /** goodput's name of what it is held against. */
  readonly against: string;
  readonly unit: 'ns' | 'requests/s' | 'tokens/s';
  /** `null` where these records cannot give it. */
  readonly tool: number | null;
  readonly goodput: number | null;
  /** tool − goodput. */
  readonly difference: number | null;
  /** Changes that alter the figure, in the order in which they are made. They sum to `difference`. */
  readonly steps: readonly BridgeStep[];
  /** What the tool would have known and the records do not hold. */
  readonly lacking: string | null;
  /** What the tool's name of the measure hides, even where the figures agree. */
  readonly remark: string | null;
}

export interface Bridge {
  readonly convention: string;
  readonly title: string;
  readonly source: ConventionSource;
  readonly load: { readonly index: number; readonly label: string };
  /** What the tool counts as a success, and what else was sent. */
  readonly requests: {
    readonly sent: number;
    readonly successes: number;
    readonly others: number;
    /** Due and never sent: no other tool has them in any figure. */
    readonly dropped: number;
  };
  readonly rows: readonly BridgeRow[];
  /** What the tool says that is no figure. */
  readonly statements: readonly string[];
}

/** Every figure of the convention for one load point. */
export function bridgeOf(convention: Convention, sample: Sample): Bridge {
  const successes = sample.sent.filter((request) => convention.isSuccess(request, sample)).length;
  return {
    convention: convention.name,
    title: convention.title,
    source: convention.source,
    load: { index: sample.summary.index, label: sample.summary.load.label },
    requests: {
      sent: sample.sent.length,
      successes,
      others: sample.sent.length - successes,
      dropped: sample.summary.ledger.dropped,
    },
    rows: [
      ...convention.latencies.flatMap((measure) => latencyRows(measure, sample)),
      ...convention.rates.map((measure) => rateRow(measure, sample)),
    ],
    statements: convention.statements(sample),
  };
}

function latencyRows(measure: LatencyMeasure, sample: Sample): BridgeRow[] {
  let distribution = OWN_LATENCIES[measure.against];
  const own = statisticsOf(distribution, sample);
  const stages = measure.changes.map(({ why, to }) => {
    distribution = { ...distribution, ...to };
    return { why, value: statisticsOf(distribution, sample) };
  });
  const remark = measure.remark(sample);
  return STATISTICS.map((statistic) => ({
    measure: measure.name,
    statistic,
    remark,
    against: OWN_NAMES[measure.against],
    unit: 'ns' as const,
    ...bridged(
      own[statistic],
      stages.map(({ why, value }) => ({ why, value: value[statistic] })),
      { least: SAME_NS, lacks: measure.lacks, sample },
    ),
  }));
}

function rateRow(measure: RateMeasure, sample: Sample): BridgeRow {
  const own = ownRate(measure.against);
  let rate = own;
  const stages = measure.changes.map(({ why, to }) => {
    rate = { ...rate, ...to };
    return { why, value: perSecond(rate, sample) };
  });
  return {
    measure: measure.name,
    statistic: null,
    remark: null,
    against: OWN_NAMES[measure.against],
    unit: measure.against === 'outputTokensPerSecond' ? 'tokens/s' : 'requests/s',
    ...bridged(perSecond(own, sample), stages, { least: 0, lacks: measure.lacks, sample }),
  };
}

function perSecond(rate: ReturnType<typeof ownRate>, sample: Sample): number | null {
  const count = rate.count(sample);
  const spanNs = rate.spanNs(sample);
  return count === null || spanNs === null || spanNs <= 0 ? null : (count * NS_PER_SECOND) / spanNs;
}

interface Stage {
  readonly why: (sample: Sample) => string;
  readonly value: number | null;
}

/** Rounding is no difference: of sums, and of durations to whole nanoseconds. */
const SAME_SHARE = 1e-9;
const SAME_NS = 1;

function bridged(
  own: number | null,
  stages: readonly Stage[],
  {
    least,
    lacks,
    sample,
  }: { readonly least: number; readonly lacks: Lack; readonly sample: Sample },
): Pick<BridgeRow, 'tool' | 'goodput' | 'difference' | 'steps' | 'lacking'> {
  const tool = stages.at(-1)?.value ?? null;
  const lacking = lacks(sample) ?? (tool === null ? 'no request gives a value' : null);
  if (tool === null || own === null) {
    return { tool, goodput: own, difference: null, steps: [], lacking };
  }
  const steps: BridgeStep[] = [];
  let before = own;
  for (const { why, value } of stages) {
    const after = value ?? before;
    const size = Math.max(Math.abs(after), Math.abs(before));
    // A change too small to show goes with the next one, so that they add up.
    if (Math.abs(after - before) <= Math.max(least, SAME_SHARE * size)) continue;
    steps.push({ why: why(sample), change: after - before });
    before = after;
  }
  return { tool, goodput: own, difference: steps.length === 0 ? 0 : tool - own, steps, lacking };
}
