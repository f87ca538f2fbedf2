import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import type { OutgoingRequest, SendPort } from '../record/index.ts';
import type { MessageRecipe, ScheduledRequest } from '../workload/index.ts';
import { AnswerMemory, HISTORY_PLANNED, repeatsAnswers } from './answer-memory.ts';

function message(answerOf: number | null): MessageRecipe {
  return { role: 'user', text: { kind: 'words', seed: 1, tokens: 1 }, answerOf };
}

/** Turns 0 … count − 1 of one session, each after all before it. */
function session(count: number, name = 's', base = 0): ScheduledRequest[] {
  return Array.from({ length: count }, (_, at) => ({
    index: base + at,
    release: { kind: 'at', atNs: 0 },
    promptTokens: 1,
    outputTokensMax: 1,
    prompt: {
      kind: 'conversation',
      messages: [message(null), ...Array.from({ length: at }, (__, turn) => message(base + turn))],
      answer: message(base + at),
    },
    session: name,
    class: null,
    priority: 0,
  }));
}

const idOf = ({ index }: ScheduledRequest): string => `request-${index}`;

/** Says `text` to whatever it is asked. */
const saying = (text: string): SendPort => ({
  send(request) {
    request.onText?.(text);
    return Promise.reject(new Error('the result is of no interest here'));
  },
});

async function ask(memory: AnswerMemory, request: ScheduledRequest, text: string): Promise<void> {
  memory.expect(idOf(request), request);
  const outgoing = { requestId: idOf(request) } as OutgoingRequest;
  const port = memory.listeningTo(saying(text));
  await port.send(outgoing, new AbortController().signal).catch(() => {});
}

const ended = ({ index, session: name }: ScheduledRequest) =>
  recordOf({ scheduleIndex: index, labels: { session: name } });

describe('the memory of answers', () => {
  it('gives a later turn what the server said, until the session has ended', async () => {
    const [first, second] = session(2) as [ScheduledRequest, ScheduledRequest];
    const memory = new AnswerMemory({ requests: [first, second] });
    await ask(memory, first, 'hello');
    memory.recorded(ended(first));
    expect(memory.textOf(second, 0)).toBe('hello');
    await ask(memory, second, 'bye');
    expect(memory.recorded(ended(second)).timeline?.notes).toEqual([]);
    expect([memory.textOf(second, 0), memory.characters]).toEqual([null, 0]);
  });

  it('forgets a session that a failed turn ended, but not one whose turn is tried again', async () => {
    const [first, second] = session(2) as [ScheduledRequest, ScheduledRequest];
    const memory = new AnswerMemory({ requests: [first, second] });
    await ask(memory, first, 'hello');
    memory.recorded(ended(first));
    const failed = { ...ended(second), end: failedEnd('socket') };
    memory.recorded({ ...failed, nextTryNs: 5 });
    expect(memory.textOf(second, 0)).toBe('hello');
    memory.recorded(failed);
    expect(memory.textOf(second, 0)).toBeNull();
  });

  it('keeps no more than its bound, and the record of a turn without the real words says so', async () => {
    const [a0, a1] = session(2, 'a') as [ScheduledRequest, ScheduledRequest];
    const [b0, b1] = session(2, 'b', 2) as [ScheduledRequest, ScheduledRequest];
    const memory = new AnswerMemory({ requests: [a0, a1, b0, b1] }, 8);
    await ask(memory, a0, 'five5');
    await ask(memory, b0, 'four');
    expect([memory.textOf(a1, 0), memory.textOf(b1, 2)]).toEqual(['five5', null]);
    memory.expect(idOf(b1), b1);
    expect(memory.recorded(ended(b1)).timeline?.notes).toEqual([HISTORY_PLANNED]);
  });

  it('takes an answer without words for none', async () => {
    const [first, second] = session(2) as [ScheduledRequest, ScheduledRequest];
    const memory = new AnswerMemory({ requests: [first, second] });
    await ask(memory, first, ' ');
    expect(memory.textOf(second, 0)).toBeNull();
  });

  it('is of use only where prompts repeat answers', () => {
    expect(repeatsAnswers({ requests: session(1) })).toBe(true);
    const [one] = session(1) as [ScheduledRequest];
    const planned = { kind: 'conversation', messages: [], answer: null } as const;
    expect(repeatsAnswers({ requests: [{ ...one, prompt: planned }] })).toBe(false);
  });
});
