/** How far the tokens counted here and those the server told agree, request by request. */
import { localOutputTokens, type RequestRecord, type Timeline } from '../record/index.ts';

/** Two counts of the same thing over many requests. */
export interface CountComparison {
  /** Requests that have both. */
  readonly n: number;
  /** Of them, those with equal counts. */
  readonly equalCount: number;
  /** Median of the first count over the server's; `null` when n = 0. */
  readonly ratioMedian: number | null;
  /** The ratio farthest from 1, either way. */
  readonly ratioWorst: number | null;
}

export interface TokenAgreement {
  /** The local tokenizer. */
  readonly tokenizer: string;
  /** Whether output tokens are its counts, and not the server's. */
  readonly judged: boolean;
  /**
   * Tokens of the text here over the server's completion tokens. One more on the server's side is the
   * end token, which has no text; reasoning that was not shown is taken off.
   */
  readonly output: CountComparison;
  /** Answers with tool calls: what stands around the arguments has tokens and no text. */
  readonly leftOutCount: number;
  /** Prompt tokens as planned over the server's. */
  readonly prompt: CountComparison;
}

/** Takes completed tries; keeps 16 bytes of each that was counted here. */
export class TokenWatch {
  #local: { readonly tokenizer: string; readonly judged: boolean } | null = null;
  #leftOut = 0;
  readonly #output = new Ratios();
  readonly #prompt = new Ratios();

  add({ timeline, end, promptTokensPlanned }: RequestRecord): void {
    if (timeline === null || timeline.local === null || end?.kind !== 'completed') return;
    const { local, usage } = timeline;
    this.#local ??= { tokenizer: local.tokenizer, judged: local.judged };
    if (local.toolCallTokens > 0) this.#leftOut += 1;
    else this.#output.add(localOutputTokens(local), shownTokens(timeline));
    this.#prompt.add(promptTokensPlanned, usage?.promptTokens ?? null);
  }

  /** `null` when nothing was counted here. */
  agreement(): TokenAgreement | null {
    if (this.#local === null) return null;
    return {
      ...this.#local,
      output: this.#output.comparison(),
      leftOutCount: this.#leftOut,
      prompt: this.#prompt.comparison(),
    };
  }
}

/** The server's count of what has text here; `null` when it told none. */
function shownTokens({ usage, local }: Timeline): number | null {
  const completion = usage?.completionTokens ?? null;
  if (usage === null || local === null || completion === null) return null;
  const isHidden = local.reasoningTokens === 0;
  const shown = completion - (isHidden ? (usage.reasoningTokens ?? 0) : 0);
  return shown - localOutputTokens(local) === 1 ? shown - 1 : shown;
}

class Ratios {
  readonly #ratios: number[] = [];
  #equal = 0;

  add(count: number | null, servers: number | null): void {
    if (count === null || servers === null || servers <= 0) return;
    this.#ratios.push(count / servers);
    if (count === servers) this.#equal += 1;
  }

  comparison(): CountComparison {
    const sorted = this.#ratios.toSorted((a, b) => a - b);
    const [least, most] = [sorted[0], sorted.at(-1)];
    return {
      n: sorted.length,
      equalCount: this.#equal,
      ratioMedian: sorted[Math.ceil(sorted.length / 2) - 1] ?? null,
      ratioWorst:
        least === undefined || most === undefined ? null : 1 / least > most ? least : most,
    };
  }
}
