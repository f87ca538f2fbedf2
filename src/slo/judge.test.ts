import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import { judge, promptBucketsOf } from './judge.ts';
import type { Objective } from './objective.ts';
import { plainObjective } from './objective-defaults.ts';
import { parseObjective } from './objective-expression.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems.map((p) => p.message).join('\n'));
  return parsed.objective;
}

/** `verdict` or `verdict reason`. */
function verdict(options: RecordOptions, objective: string | Objective): string {
  const against = typeof objective === 'string' ? objectiveOf(objective) : objective;
  const { verdict: word, reason } = judge(recordOf(options), against);
  return reason === null ? word : `${word} ${reason}`;
}

function state(options: RecordOptions, objective: string, name: string): string {
  const { objectives } = judge(recordOf(options), objectiveOf(objective));
  const result = objectives.find((one) => one.objective === name)!;
  return result.reason === null ? result.state : `${result.state} ${result.reason}`;
}

const ms = (...instants: number[]): number[] => instants.map((instant) => nsFromMs(instant));
const cancelledAt = (atMs: number): RecordOptions => ({
  end: { kind: 'cancelled', atNs: nsFromMs(atMs) },
  usage: null,
  finishReason: null,
  doneNs: null,
});
const timedOutAt = (atMs: number): RecordOptions => ({
  ...cancelledAt(atMs),
  end: { kind: 'timedOut', deadlineNs: nsFromMs(atMs) },
});

describe('a completed request', () => {
  it('is good when it met all its limits, and they are inclusive', () => {
    const answer = { arrivalsNs: ms(100, 120, 140), doneNs: nsFromMs(141) };
    expect(verdict(answer, 'ttft<=100ms, tpot<=20ms, gap<=20ms, e2e<=141ms, output<=3')).toBe(
      'good',
    );
    expect(verdict(answer, 'ttft<=99.999999ms, tpot<=20ms')).toBe('bad ttft:overLimit');
    expect(verdict(answer, 'tpot<=19.999999ms')).toBe('bad tpot:overLimit');
    expect(verdict(answer, 'gap<=19.999999ms')).toBe('bad gapMax:overLimit');
    expect(verdict(answer, 'gap[p50]<=19.999999ms')).toBe('bad gapQuantile:overLimit');
    expect(verdict(answer, 'e2e<=140ms')).toBe('bad e2e:overLimit');
    expect(verdict(answer, 'output<=2')).toBe('bad outputTokens:overLimit');
  });

  it('shows each limit beside what was observed', () => {
    const { objectives } = judge(recordOf(), objectiveOf('ttft<=50ms, output<=3'));
    expect(objectives).toEqual([
      { objective: 'correctness', state: 'met', observed: null, limit: null, reason: null },
      {
        objective: 'ttft',
        state: 'missed',
        observed: nsFromMs(100),
        limit: nsFromMs(50),
        reason: 'overLimit',
      },
      { objective: 'outputTokens', state: 'met', observed: 3, limit: 3, reason: null },
    ]);
  });

  it('is judged from its planned instant, so that a late generator flatters nobody', () => {
    const late = { plannedNs: 0, dispatchedNs: nsFromMs(400), arrivalsNs: ms(500, 520) };
    expect(verdict(late, 'ttft<=200ms')).toBe('bad ttft:overLimit');
    expect(verdict(late, 'ttft<=200ms, from=dispatch')).toBe('good');
    expect(verdict(late, 'e2e<=200ms')).toBe('bad e2e:overLimit');
    expect(verdict(late, 'e2e<=200ms, from=dispatch')).toBe('good');
  });

  it('waits for the first output of a kind that counts', () => {
    const thinking = {
      arrivalsNs: ms(100, 900, 920),
      kinds: ['reasoning', 'answer', 'answer'],
    } as const;
    expect(verdict(thinking, 'ttft<=200ms')).toBe('good');
    expect(verdict(thinking, 'ttft<=200ms, counts=answer')).toBe('bad ttft:overLimit');
  });

  it('may be judged by a quantile of its own gaps', () => {
    const stalled = { arrivalsNs: ms(100, 110, 120, 130, 730) };
    expect(verdict(stalled, 'gap[p75]<=10ms')).toBe('good');
    expect(verdict(stalled, 'gap[p99]<=10ms')).toBe('bad gapQuantile:overLimit');
  });
});

describe('TTFT by prompt length', () => {
  const byLength = 'ttft[0-1k]<=100ms, ttft[1k-4k]<=200ms, ttft[4k+]<=300ms';
  const prompt = (promptTokens: number | null, ttftMs: number): RecordOptions => ({
    usage: { promptTokens, completionTokens: 1 },
    arrivalsNs: ms(ttftMs),
  });

  it.each([
    [999, 100, 'good'],
    [999, 101, 'bad ttft:overLimit'],
    [1_000, 200, 'good'],
    [4_000, 300, 'good'],
    [400_000, 301, 'bad ttft:overLimit'],
  ])('of %i tokens after %i ms is %s', (tokens, ttftMs, expected) => {
    expect(verdict(prompt(tokens, ttftMs), byLength)).toBe(expected);
  });

  it('takes the planned length where the server told none, and says so', () => {
    const record = recordOf({ ...prompt(null, 250), promptTokensPlanned: 5_000 });
    const { verdict: word, promptBucket, promptTokensFrom } = judge(record, objectiveOf(byLength));
    expect([word, promptBucket, promptTokensFrom]).toEqual(['good', '4k+', 'planned']);
  });

  it('takes the strictest limit where nobody told the length', () => {
    expect(verdict(prompt(null, 100), byLength)).toBe('good');
    expect(verdict(prompt(null, 101), byLength)).toBe('bad ttft:overLimit');
    const { promptBucket, promptTokensFrom } = judge(
      recordOf(prompt(null, 1)),
      objectiveOf(byLength),
    );
    expect([promptBucket, promptTokensFrom]).toEqual(['unknown', 'unknown']);
  });

  it('prefers the length used over the one planned', () => {
    const record = recordOf({ ...prompt(500, 1), promptTokensPlanned: 5_000 });
    expect(judge(record, objectiveOf(byLength)).promptTokensFrom).toBe('usage');
  });

  it('splits by its own buckets, and by the default ones without them', () => {
    expect(promptBucketsOf(objectiveOf(byLength))).toHaveLength(3);
    expect(promptBucketsOf(objectiveOf('ttft<=1s'))).toHaveLength(5);
    expect(promptBucketsOf(null)).toHaveLength(5);
  });
});

describe('what was not observed', () => {
  it('is never good: a pace without token counts is unjudged', () => {
    expect(verdict({ usage: null }, 'tpot<=1s')).toBe('unjudged tpot:tokensUnknown');
  });

  it('does not save a request that missed another limit', () => {
    expect(verdict({ usage: null }, 'ttft<=50ms, tpot<=1s')).toBe('bad ttft:overLimit');
  });

  it('does not apply to a one-token answer', () => {
    const oneToken = { arrivalsNs: ms(100) };
    expect(state(oneToken, 'tpot<=1ms', 'tpot')).toBe('notApplicable oneToken');
    expect(verdict(oneToken, 'ttft<=100ms, tpot<=1ms, gap<=1ms')).toBe('good');
  });

  it('is unknown for ten tokens in one chunk', () => {
    const chunk = { arrivalsNs: ms(100), usage: { completionTokens: 10 } };
    expect(verdict(chunk, 'tpot<=1s')).toBe('unjudged tpot:singleEvent');
    expect(state(chunk, 'gap<=1ms', 'gapMax')).toBe('notApplicable singleEvent');
  });

  it('is unknown for everything inside an answer that came as one body', () => {
    const body = { streamed: false };
    expect(verdict(body, 'ttft<=1s')).toBe('unjudged ttft:notStreamed');
    expect(verdict(body, 'gap<=1s')).toBe('unjudged gapMax:notStreamed');
    expect(verdict(body, 'gap[p99]<=1s')).toBe('unjudged gapQuantile:notStreamed');
    expect(verdict(body, 'e2e<=1s')).toBe('good');
  });

  it('is unknown for an estimated pace where only an observed one is accepted', () => {
    expect(verdict({}, 'tpotObserved<=1s')).toBe('unjudged tpot:estimatedOnly');
    expect(verdict({ oneTokenPerEvent: true }, 'tpotObserved<=1s')).toBe('good');
  });

  it('is unknown for an output cap without usage', () => {
    expect(verdict({ usage: null }, 'output<=9')).toBe('unjudged outputTokens:tokensUnknown');
  });
});

describe('correctness', () => {
  it.each([
    [{}, 'needs=answer', 'good'],
    [{ finishReason: 'length' }, 'needs=answer', 'bad correctness:finish:length'],
    [{ finishReason: 'length' }, 'finish=stop|length', 'good'],
    [{ finishReason: null }, 'needs=answer', 'bad correctness:noFinishReason'],
    [{ kinds: 'refusal' }, 'needs=answer', 'bad correctness:no:answer'],
    [{ kinds: 'refusal' }, 'needs=answer|refusal', 'good'],
    [{ timeline: { terminalNs: null } }, 'needs=answer', 'good'],
    [{ timeline: { terminalNs: null } }, 'terminal=strict', 'bad correctness:noTerminal'],
    [{ finishReason: 'toolCalls', kinds: 'toolCall' }, 'counts=toolCall', 'good'],
  ] as const)('of %j by %s is %s', (options, objective, expected) => {
    expect(verdict(options as RecordOptions, objective)).toBe(expected);
  });

  it('demands every check it names; one that was not made is unknown', () => {
    const plain = plainObjective();
    const checks = [
      { kind: 'json', name: 'json' },
      { kind: 'regex', name: 'polite', pattern: 'please' },
    ] as const;
    const checked: Objective = {
      ...plain,
      request: { ...plain.request, correctness: { ...plain.request.correctness, checks } },
    };
    const passed = { name: 'json', passed: true };
    const failed = { name: 'polite', passed: false };
    expect(verdict({ checks: [passed, failed] }, checked)).toBe('bad correctness:check:polite');
    expect(verdict({ checks: [passed] }, checked)).toBe('unjudged correctness:notChecked:polite');
    expect(verdict({ checks: [failed] }, checked)).toBe('bad correctness:check:polite');
    expect(verdict({ checks: [passed, failed] }, plain)).toBe('good');
  });

  it('does not blame the service for what an imported log left out', () => {
    const log = {
      source: 'imported',
      arrivalsNs: [],
      finishReason: null,
      timeline: { terminalNs: null },
    } as const;
    expect(verdict(log, 'needs=answer')).toBe('unjudged correctness:noFinishReason');
    expect(verdict({ ...log, source: 'measured' }, 'needs=answer')).toContain('bad');
  });
});

describe('a request that did not complete', () => {
  it('is bad when it was dropped or failed', () => {
    expect(verdict({ dropped: 'ceiling' }, 'ttft<=1s')).toBe('bad dropped:ceiling');
    expect(verdict({ end: failedEnd('socket') }, 'ttft<=1s')).toBe('bad correctness:failed');
  });

  it('is excluded when it was not reached, or refused as the operator sees it', () => {
    const refused: RecordOptions = {
      end: failedEnd('httpStatus', { httpStatus: 429, evidence: ['quota'] }),
      arrivalsNs: [],
    };
    expect(verdict({ notReached: true }, 'ttft<=1s')).toBe('excluded notReached');
    expect(verdict(refused, 'ttft<=1s')).toBe('excluded refused:quota');
    expect(verdict(refused, 'ttft<=1s, perspective=buyer')).toBe('bad refused:quota');
  });

  it('is bad when it timed out; censored, only if a limit had passed', () => {
    const slow = { ...timedOutAt(500), arrivalsNs: ms(100) };
    expect(verdict(slow, 'ttft<=1s')).toBe('bad correctness:timedOut');
    expect(verdict(slow, 'ttft<=1s, timedOut=censored')).toBe('unjudged correctness:timedOut');
    expect(verdict(slow, 'ttft<=99ms, timedOut=censored')).toBe('bad ttft:overLimit');
  });

  it('is unjudged when the run cancelled it before any limit had passed', () => {
    const all = 'ttft<=1s, tpot<=1s, gap<=1s, gap[p99]<=1s, e2e<=9s, output<=9';
    expect(verdict({ ...cancelledAt(500), arrivalsNs: [] }, all)).toBe(
      'unjudged correctness:cancelled',
    );
    expect(verdict({ ...cancelledAt(500), arrivalsNs: ms(100, 200) }, all)).toBe(
      'unjudged correctness:cancelled',
    );
  });

  it.each([
    ['ttft<=500ms', 'unjudged correctness:cancelled'],
    ['ttft<=499ms', 'bad ttft:overLimitWhenCut'],
    ['e2e<=500ms', 'unjudged correctness:cancelled'],
    ['e2e<=499ms', 'bad e2e:overLimitWhenCut'],
  ])('by %s is %s when cancelled after 500 ms of silence', (objective, expected) => {
    expect(verdict({ ...cancelledAt(500), arrivalsNs: [] }, objective)).toBe(expected);
  });

  it('counts the silence before the cut as a gap', () => {
    const cut = { ...cancelledAt(500), arrivalsNs: ms(100, 200) };
    expect(verdict(cut, 'gap<=300ms')).toBe('unjudged correctness:cancelled');
    expect(verdict(cut, 'gap<=299ms')).toBe('bad gapMax:overLimitWhenCut');
    expect(verdict(cut, 'gap<=99ms')).toBe('bad gapMax:overLimit');
  });

  it('passed an output cap for certain once it had sent more', () => {
    const cut = { ...cancelledAt(500), usage: { completionTokens: 3 } };
    expect(verdict(cut, 'output<=2')).toBe('bad outputTokens:overLimit');
    expect(state(cut, 'output<=3', 'outputTokens')).toBe('unknown notCompleted');
  });

  it('has no pace: a mean over part of an answer is not the mean over all of it', () => {
    const cut = { ...cancelledAt(500), usage: { completionTokens: 3 } };
    expect(state(cut, 'tpot<=1ms', 'tpot')).toBe('unknown notCompleted');
    expect(state(cut, 'gap[p99]<=1ms', 'gapQuantile')).toBe('unknown notCompleted');
  });

  it('starts the clock of a cut wait where the objective does', () => {
    const late = { ...cancelledAt(500), dispatchedNs: nsFromMs(300), arrivalsNs: [] };
    expect(verdict(late, 'ttft<=200ms')).toBe('bad ttft:overLimitWhenCut');
    expect(verdict(late, 'ttft<=200ms, from=dispatch')).toBe('unjudged correctness:cancelled');
    const expired = { ...timedOutAt(500), dispatchedNs: nsFromMs(300), arrivalsNs: [] };
    expect(state(expired, 'ttft<=200ms', 'ttft')).toBe('missed overLimitWhenCut');
    expect(state(expired, 'ttft<=200ms, from=dispatch', 'ttft')).toBe('unknown noCountedOutput');
  });
});

it('never reads a limit that is not set', () => {
  const { objectives } = judge(recordOf({ doneNs: nsFromSeconds(999) }), plainObjective());
  expect(objectives.map((result) => result.objective)).toEqual(['correctness']);
});
