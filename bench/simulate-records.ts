/**
 * What a simulated run costs that leaves its records on disk: requests a second, and how live
 * memory grows with the length of the run. Each size runs in a process of its own.
 */
import { printTable, printTitle, QUICK, type Row } from './support/report.ts';
import type { RecordsAnswer, RecordsQuestion } from './support/simulate-records-process.ts';
import { startWorker } from './support/worker-process.ts';

const SIZES = QUICK ? [200, 400] : [10_000, 30_000, 100_000];

printTitle('Simulated runs with records on disk', [
  'Open loop at 8/s, prompts lognormal around 800 tokens, answers of 100 tokens, a budget of 512 ' +
    'tokens; every record (one line of about 4 KB) is written, measured and judged. CPU time is of ' +
    'the whole process, collecting garbage included. Live memory is the largest heap and buffers ' +
    'after a forced collection; growth is against the row before.',
]);

const rows: Row[] = [];
let before: (RecordsAnswer & RecordsQuestion) | null = null;
for (const requests of SIZES) {
  const timed = await ask({ requests, collect: false });
  const measured = await ask({ requests, collect: true });
  const growth =
    before === null
      ? '(first)'
      : Math.round((measured.liveBytes - before.liveBytes) / (requests - before.requests));
  rows.push([
    requests.toLocaleString('en'),
    Math.round(requests / timed.wallSeconds).toLocaleString('en'),
    Math.round(requests / timed.cpuSeconds).toLocaleString('en'),
    (measured.liveBytes / 1e6).toFixed(1),
    growth,
    (timed.maxRssBytes / 1e6).toFixed(0),
    (timed.recordBytes / requests).toFixed(0),
  ]);
  before = { ...measured, requests, collect: true };
}
printTable(
  [
    'requests',
    'requests/s',
    'per CPU second',
    'live MB',
    'growth, bytes/request',
    'largest RSS, MB',
    'record, bytes',
  ],
  rows,
);

async function ask(question: RecordsQuestion): Promise<RecordsAnswer> {
  const worker = startWorker<RecordsQuestion, RecordsAnswer>('simulate-records-process.ts');
  try {
    return await worker.ask(question);
  } finally {
    await worker.stop();
  }
}
