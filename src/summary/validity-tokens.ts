/** Whether the tokens counted here are the server's tokens. */
import { percentText } from '../base/index.ts';
import type { ValidityReason } from './summary.ts';
import type { CountComparison, TokenAgreement } from './token-agreement.ts';

/** Counts that differ by more than this, in the median request, are of two tokenizers. */
const DISAGREEMENT_SHARE = 0.02;

export function tokenizerReasons(agreement: TokenAgreement | null): ValidityReason[] {
  if (agreement === null) return [];
  return [localCountReason(agreement), outputReason(agreement), promptReason(agreement)].filter(
    (reason) => reason !== null,
  );
}

function localCountReason({ judged, tokenizer }: TokenAgreement): ValidityReason | null {
  if (!judged) return null;
  return {
    check: 'localTokens',
    severity: 'note',
    message: `output tokens are by ${tokenizer}, not by the server, which told none`,
    advice: null,
  };
}

function outputReason({ tokenizer, output }: TokenAgreement): ValidityReason | null {
  const off = offShare(output);
  if (off === null) return null;
  const more = off > 0 ? 'more' : 'fewer';
  return {
    check: 'tokenizer',
    severity: 'warning',
    message: `${tokenizer} is not the server's tokenizer: it counts ${percentText(Math.abs(off))} ${more} output tokens (median of ${output.n} answers)`,
    advice: "name the model's own: --tokenizer with its tokenizer.json",
  };
}

function promptReason({ prompt }: TokenAgreement): ValidityReason | null {
  const off = offShare(prompt);
  if (off === null) return null;
  const than = off > 0 ? 'shorter' : 'longer';
  return {
    check: 'promptLengths',
    severity: 'warning',
    message: `prompts are ${than} than planned: ${percentText(Math.abs(1 / (1 + off) - 1))} by the server's count (median of ${prompt.n})`,
    advice: "name the model's own tokenizer, or leave --tokenizer out",
  };
}

/** `null` where the counts agree, or nothing was compared. */
function offShare({ ratioMedian }: CountComparison): number | null {
  if (ratioMedian === null) return null;
  const off = ratioMedian - 1;
  return Math.abs(off) > DISAGREEMENT_SHARE ? off : null;
}
