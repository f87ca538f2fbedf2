/** The hypothesis of a run file: what was changed, where it should help, what that should do. */
import {
  expectationsText,
  type Hypothesis,
  METRIC_NAMES,
  parseExpectations,
} from '../comparison/index.ts';
import { fail, mapping, text } from './scalars.ts';
import { withoutNulls } from './without-nulls.ts';

const expectations = text.transform((written, context) => {
  const read = parseExpectations(written);
  if (read !== null) return read;
  const hint = `write p50(tpot) <= -5%, goodput >= +3% or p95(ttft) unchanged, of ${METRIC_NAMES.join(', ')} or attainment[4k-16k]`;
  return fail(context, 'is no list of expected changes', hint);
});

/** The keys under `hypothesis`. */
export const hypothesisSection = mapping({
  change: text.describe('What was changed between side A and side B.'),
  bottleneck: text.optional().describe('What limits the service that the change should relieve.'),
  expected: expectations.describe(
    'Changes of B against A, with commas: `p50(tpot) <= -5%, goodput >= +3%, p95(ttft) unchanged`.',
  ),
}).transform(({ change, bottleneck, expected }): Hypothesis => ({
  change,
  bottleneck: bottleneck ?? null,
  expected,
}));

/** The keys again, for writing. */
export function hypothesisTree({ change, bottleneck, expected }: Hypothesis): unknown {
  return withoutNulls({ change, bottleneck, expected: expectationsText(expected) });
}
