/** Ctrl-C once: start nothing more and wind down. Twice: cancel what is in flight. */
import type { CommandContext } from './context.ts';

export interface Interrupts {
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  /** Gives Ctrl-C its usual meaning back. */
  readonly release: () => void;
}

/** `say` tells the user what a Ctrl-C does; left out: on a line of stderr. */
export function catchInterrupts(
  context: CommandContext,
  say: (text: string) => void = (text) => context.stderr(`${text}\n`),
): Interrupts {
  const stop = new AbortController();
  const cancel = new AbortController();
  const release = context.onInterrupt((count) => {
    if (count === 1) {
      say('stopping: no new requests, waiting for those in flight; Ctrl-C again to cancel them');
      stop.abort();
    } else if (count === 2) {
      say('cancelling the requests in flight; writing the partial report');
      cancel.abort();
    }
  });
  return { stopStarts: stop.signal, cancelAll: cancel.signal, release };
}
