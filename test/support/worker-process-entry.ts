/** What the processes of tests run: each answers what it is asked, says its clock, or dies. */
import { realClockFrom } from '../../src/base/index.ts';
import { serveParent } from '../../src/workers/index.ts';

export type Asked =
  | { readonly kind: 'echo'; readonly value: unknown }
  | { readonly kind: 'clock'; readonly sharedOriginMs: number }
  /** Says `last` and dies by its own hand, as by that of another. */
  | { readonly kind: 'die'; readonly last: string }
  | { readonly kind: 'throw' };

const answer = serveParent((asked: Asked) => {
  switch (asked.kind) {
    case 'echo':
      return answer({ value: asked.value });
    case 'clock':
      return answer({ nowNs: realClockFrom(asked.sharedOriginMs).nowNs() });
    case 'die':
      answer({ value: asked.last });
      return process.kill(process.pid, 'SIGKILL');
    case 'throw':
      throw new Error('out of luck');
    default:
  }
});
