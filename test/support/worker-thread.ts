/** What the threads of `src/workers` tests run: doubles numbers, fails, waits or dies as asked. */
import { serveJobs } from '../../src/workers/index.ts';

serveJobs(async (job: { readonly value: number | 'fail' | 'die' | 'wait' }, signals) => {
  switch (job.value) {
    case 'fail':
      throw new Error('no such number');
    case 'die':
      process.exit(3);
    case 'wait':
      if (!signals.stopStarts.aborted) {
        await new Promise((resolve) => signals.stopStarts.addEventListener('abort', resolve));
      }
      return -1;
    default:
      return job.value * 2;
  }
});
