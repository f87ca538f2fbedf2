/** What servers said in sessions that are not over: in this process's memory, and nowhere else. */
import type { OutgoingRequest, RequestRecord, SendPort } from '../record/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';

/** Characters of all sessions together, at two bytes each. */
const LIMIT_CHARACTERS = 128 * 1024 * 1024;

/** The note of a record whose prompt repeats an earlier answer in planned words: the real one was not kept. */
export const HISTORY_PLANNED = 'historyPlanned';

/** One session while it lasts. */
interface OpenSession {
  /** Of its requests, those whose fate is not known yet. */
  left: number;
  readonly texts: Map<number, string>;
}

/** Whether any prompt of the schedule repeats real answers. */
export function repeatsAnswers({ requests }: Pick<Schedule, 'requests'>): boolean {
  return requests.some(({ prompt }) => prompt.kind === 'conversation' && prompt.answer !== null);
}

/**
 * Keeps the answers of each session until its last request has ended, or one has not completed. Beyond
 * a bound, and of answers without words, nothing is kept: later turns then have the planned text, and
 * their records say so.
 */
export class AnswerMemory {
  readonly #sessions = new Map<string, OpenSession>();
  /** By id of a try that is under way. */
  readonly #asked = new Map<string, ScheduledRequest>();
  readonly #limitCharacters: number;
  #characters = 0;

  constructor(schedule: Pick<Schedule, 'requests'>, limitCharacters = LIMIT_CHARACTERS) {
    this.#limitCharacters = limitCharacters;
    for (const { session } of schedule.requests) {
      if (session === null) continue;
      const open = this.#sessions.get(session);
      if (open === undefined) this.#sessions.set(session, { left: 1, texts: new Map() });
      else open.left += 1;
    }
  }

  /** Characters kept now. */
  get characters(): number {
    return this.#characters;
  }

  /** The same port, listened to: the requests it is given are those of {@link expect}. */
  listeningTo(port: SendPort): SendPort {
    return {
      send: (outgoing: OutgoingRequest, signal) =>
        port.send({ ...outgoing, onText: (text) => this.#keep(outgoing.requestId, text) }, signal),
    };
  }

  /** The try with this id is one of `request`. */
  expect(requestId: string, request: ScheduledRequest): void {
    this.#asked.set(requestId, request);
  }

  /** The answer to the request with this index of `session`; `null` when it is not kept. */
  textOf({ session }: ScheduledRequest, index: number): string | null {
    return this.#sessions.get(session ?? '')?.texts.get(index) ?? null;
  }

  /** Takes the record of a try and gives it back, with a note where its prompt had planned words. */
  recorded(record: RequestRecord): RequestRecord {
    const request = this.#asked.get(record.requestId);
    this.#asked.delete(record.requestId);
    const noted = request === undefined ? record : this.#noted(request, record);
    if (record.nextTryNs === null) this.#ended(record);
    return noted;
  }

  #noted(request: ScheduledRequest, record: RequestRecord): RequestRecord {
    const { prompt } = request;
    const { timeline } = record;
    if (timeline === null || prompt.kind !== 'conversation') return record;
    const isReal = prompt.messages.every(
      ({ answerOf }) => answerOf === null || this.textOf(request, answerOf) !== null,
    );
    if (isReal) return record;
    return { ...record, timeline: { ...timeline, notes: [...timeline.notes, HISTORY_PLANNED] } };
  }

  #ended({ labels, end }: RequestRecord): void {
    const { session } = labels;
    const open = session === null ? undefined : this.#sessions.get(session);
    if (session === null || open === undefined) return;
    open.left -= 1;
    if (end?.kind === 'completed' && open.left > 0) return;
    for (const text of open.texts.values()) this.#characters -= text.length;
    this.#sessions.delete(session);
  }

  #keep(requestId: string, text: string): void {
    const request = this.#asked.get(requestId);
    const open = this.#sessions.get(request?.session ?? '');
    if (request === undefined || open === undefined || text.trim() === '') return;
    if (this.#characters + text.length > this.#limitCharacters) return;
    open.texts.set(request.index, text);
    this.#characters += text.length;
  }
}
