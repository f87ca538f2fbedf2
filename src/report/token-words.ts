/** What a local tokenizer counted, beside the server's counts. */
import type { CountComparison, PointSummary } from '../summary/index.ts';
import { countFigure } from './figures.ts';

/**
 * `by o200k_base, not by the server` or `by the server; o200k_base counts 240 answers the same` …, and
 * the prompts; `null` when nothing was counted here.
 */
export function tokensText({ tokenAgreement: agreement }: PointSummary): string | null {
  if (agreement === null) return null;
  const { tokenizer, judged, output, prompt, leftOutCount } = agreement;
  const by = judged ? `output by ${tokenizer}, not by the server` : 'output by the server';
  const beside = comparedText(`${tokenizer} in`, output, 'answers');
  const asked = comparedText('prompts as planned in', prompt, 'requests');
  const leftOut =
    leftOutCount === 0 ? null : `${countFigure(leftOutCount)} with tool calls not compared`;
  return [by, beside, leftOut, asked].filter((part) => part !== null).join(' · ');
}

/** `o200k_base in 240 answers: 236 equal, median 1.000, worst 0.969 of the server's`. */
function comparedText(what: string, compared: CountComparison, of: string): string | null {
  const { n, equalCount, ratioMedian, ratioWorst } = compared;
  if (n === 0 || ratioMedian === null || ratioWorst === null) return null;
  const equal = equalCount === n ? 'all' : countFigure(equalCount);
  const spread =
    equalCount === n
      ? ''
      : `, median ${ratioMedian.toFixed(3)}, worst ${ratioWorst.toFixed(3)} of the server's`;
  return `${what} ${countFigure(n)} ${of}: ${equal} equal${spread}`;
}
