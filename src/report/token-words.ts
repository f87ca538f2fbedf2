/** What a local tokenizer counted, beside the server's counts. */
import type { CountComparison, PointSummary } from '../summary/index.ts';
import { countFigure } from './figures.ts';

/**
 * `output by the server, o200k_base the same in 236 of 240, worst 0.969 · prompts as planned in 240 of
 * 240`, or `output by o200k_base, not by the server`; `null` when nothing was counted here.
 */
export function tokensText({ tokenAgreement: agreement }: PointSummary): string | null {
  if (agreement === null) return null;
  const { tokenizer, judged, output, prompt, leftOutCount } = agreement;
  const beside = sameText(`${tokenizer} the same in`, output);
  const by = judged
    ? `output by ${tokenizer}, not by the server`
    : ['output by the server', beside].filter((part) => part !== null).join(', ');
  const leftOut = judged || leftOutCount === 0 ? null : leftOutText(leftOutCount);
  const asked = sameText('prompts as planned in', prompt);
  return [by, leftOut, asked].filter((part) => part !== null).join(' · ');
}

/** `o200k_base the same in 236 of 240, worst 0.969`; `null` where nothing was compared. */
function sameText(what: string, { n, equalCount, ratioWorst }: CountComparison): string | null {
  if (n === 0 || ratioWorst === null) return null;
  const same = `${what} ${countFigure(equalCount)} of ${countFigure(n)}`;
  return equalCount === n ? same : `${same}, worst ${ratioWorst.toFixed(3)}`;
}

function leftOutText(count: number): string {
  return `${countFigure(count)} with tool calls not compared`;
}
