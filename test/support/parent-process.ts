/** A process that starts one of its own, says its number and stays, for a test that kills it. */
import { startProcess } from '../../src/workers/index.ts';

const child = startProcess(new URL('./worker-process-entry.ts', import.meta.url), {
  onMessage: () => {},
  onEnd: () => {},
});
process.stdout.write(`${child.pid}\n`);
