/** A process of its own that answers one question at a time, so that its CPU time is its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface WorkerProcess<Question, Answer> {
  /** Errors: when the process ends without an answer. */
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

/** `file` is a program beside this one that calls {@link answerParent}. */
export function startWorker<Question extends object, Answer>(
  file: string,
): WorkerProcess<Question, Answer> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [], { serialization: 'advanced' });
  const exited = once(child, 'exit');
  return {
    async ask(question) {
      child.send(question);
      const answered = once(child, 'message') as Promise<[Answer]>;
      const ended = exited.then(() => Promise.reject(new Error(`${file} ended`)));
      const [answer] = await Promise.race([answered, ended]);
      return answer;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** The other side: answers every question, and ends with the parent. */
export function answerParent(answer: (question: never) => unknown): void {
  process.on('message', (question) => {
    void Promise.resolve(answer(question as never)).then((value) => process.send?.(value));
  });
  process.on('disconnect', () => process.exit());
}
