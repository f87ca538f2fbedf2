import { describe, expect, test } from 'vitest';
import { recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import type { LocalTokens } from '../record/index.ts';
import { TokenWatch, type TokenAgreement } from './token-agreement.ts';
import { tokenizerReasons } from './validity-tokens.ts';

const LOCAL: LocalTokens = {
  tokenizer: 'o200k_base',
  judged: false,
  answerTokens: 0,
  reasoningTokens: 0,
  refusalTokens: 0,
  toolCallTokens: 0,
};

interface Counted extends RecordOptions {
  readonly local: Partial<LocalTokens>;
}

function agreementOf(...answers: readonly Counted[]): TokenAgreement | null {
  const watch = new TokenWatch();
  for (const { local, ...options } of answers) {
    watch.add(recordOf({ ...options, timeline: { local: { ...LOCAL, ...local } } }));
  }
  return watch.agreement();
}

const told = (completionTokens: number, reasoningTokens: number | null = null) => ({
  usage: { promptTokens: 100, completionTokens, reasoningTokens },
});

describe('counts of both sides', () => {
  test('nothing without a local tokenizer', () => {
    const watch = new TokenWatch();
    watch.add(recordOf());
    expect(watch.agreement()).toBeNull();
  });

  test('the ratio of each answer: median, and the one farthest from 1 either way', () => {
    const agreement = agreementOf(
      { ...told(100), local: { answerTokens: 100 } },
      { ...told(100), local: { answerTokens: 104 } },
      { ...told(100), local: { answerTokens: 90 } },
    );
    expect(agreement?.output).toEqual({
      n: 3,
      equalCount: 1,
      ratioMedian: 1,
      ratioWorst: 0.9,
    });
  });

  test('one more by the server is the end token', () => {
    const output = { n: 1, equalCount: 1, ratioMedian: 1, ratioWorst: 1 };
    expect(agreementOf({ ...told(8), local: { answerTokens: 7 } })?.output).toEqual(output);
    expect(agreementOf({ ...told(7), local: { answerTokens: 8 } })?.output.equalCount).toBe(0);
  });

  test('reasoning that was not shown is taken off, shown reasoning is text', () => {
    const hidden = agreementOf({ ...told(100, 60), local: { answerTokens: 40 } });
    expect(hidden?.output.equalCount).toBe(1);
    const shown = agreementOf({
      ...told(100, 60),
      local: { answerTokens: 40, reasoningTokens: 60 },
    });
    expect(shown?.output.equalCount).toBe(1);
  });

  test('answers with tool calls are counted apart; so are none that failed', () => {
    const agreement = agreementOf({ ...told(30), local: { answerTokens: 5, toolCallTokens: 9 } });
    expect(agreement).toMatchObject({ leftOutCount: 1, output: { n: 0, ratioMedian: null } });
    const failed = agreementOf({
      ...told(30),
      local: { answerTokens: 5 },
      end: { kind: 'failed', failure: 'truncated', error: null },
    });
    expect(failed).toBeNull();
  });

  test('prompts as planned against the server', () => {
    const record = recordOf({ ...told(3), timeline: { local: LOCAL } });
    const watch = new TokenWatch();
    watch.add({ ...record, promptTokensPlanned: 100 });
    watch.add({ ...record, promptTokensPlanned: 50 });
    watch.add({ ...record, promptTokensPlanned: null });
    expect(watch.agreement()?.prompt).toEqual({
      n: 2,
      equalCount: 1,
      ratioMedian: 0.5,
      ratioWorst: 0.5,
    });
  });
});

describe('what validity says', () => {
  const SAME = { n: 10, equalCount: 10, ratioMedian: 1, ratioWorst: 1 };
  const of = (change: Partial<TokenAgreement>) =>
    tokenizerReasons({
      tokenizer: 'o200k_base',
      judged: false,
      output: SAME,
      leftOutCount: 0,
      prompt: SAME,
      ...change,
    }).map(({ check, severity, message }) => `${severity} ${check}: ${message}`);

  test('nothing where the counts agree within 2 %', () => {
    expect(of({})).toEqual([]);
    expect(of({ output: { ...SAME, ratioMedian: 1.019 } })).toEqual([]);
    expect(tokenizerReasons(null)).toEqual([]);
  });

  test('another tokenizer than the server’s', () => {
    expect(of({ output: { ...SAME, ratioMedian: 0.87 } })).toEqual([
      "warning tokenizer: o200k_base is not the server's tokenizer: it counts 13.0 % fewer output tokens (median of 10 answers)",
    ]);
  });

  test('prompts of another length', () => {
    expect(of({ prompt: { ...SAME, ratioMedian: 0.8 } })).toEqual([
      "warning promptLengths: prompts are longer than planned: 25.0 % by the server's count (median of 10)",
    ]);
  });

  test('who counted', () => {
    expect(of({ judged: true })).toEqual([
      'note localTokens: output tokens are by o200k_base, not by the server, which told none',
    ]);
  });
});
