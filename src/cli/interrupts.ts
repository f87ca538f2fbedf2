/** Ctrl-C once: start nothing more and wind down. Twice: cancel what is in flight. */
import type { CommandContext } from './context.ts';

export interface Interrupts {
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  /** Gives Ctrl-C its usual meaning back. */
  readonly release: () => void;
}

export function catchInterrupts(context: CommandContext): Interrupts {
  const stop = new AbortController();
  const cancel = new AbortController();
  const release = context.onInterrupt((count) => {
    if (count === 1) {
      context.stderr(
        '\nstopping: no new requests, waiting for those in flight; Ctrl-C again to cancel them\n',
      );
      stop.abort();
    } else if (count === 2) {
      context.stderr('\ncancelling the requests in flight; writing the partial report\n');
      cancel.abort();
    }
  });
  return { stopStarts: stop.signal, cancelAll: cancel.signal, release };
}
