/** How fast are records written, read back and judged, and how large are they? */
import {
  isRecordProblem,
  parseRecordLine,
  recordLine,
  type RequestRecord,
} from '../src/record/index.ts';
import { createSummariser } from '../src/summary/index.ts';
import { recordOf } from '../test/support/record-builder.ts';
import { objectiveOf, pointOf } from '../test/support/summary-builder.ts';
import { print, printTable, printTitle, QUICK } from './support/report.ts';

const RECORDS = QUICK ? 200 : 20_000;
const BATCH = QUICK ? 100 : 1_000;
const EVENTS = 200;
const MS = 1_000_000;

/** Answers as a server with per-event usage sends them, one token per event, every 20 ms. */
function makeRecord(index: number): RequestRecord {
  const plannedNs = index * 10 * MS;
  const dispatchedNs = plannedNs + 12_345;
  return recordOf({
    scheduleIndex: index,
    plannedNs,
    dispatchedNs,
    arrivalsNs: Array.from(
      { length: EVENTS },
      (_, event) => dispatchedNs + 250 * MS + event * 20 * MS + ((index * 7 + event) % 999),
    ),
    tokensPerEvent: 1,
    usage: { promptTokens: 500 + (index % 3_000), completionTokens: EVENTS },
  });
}

/** Seconds spent by what ran inside `of`. */
class Stopwatch {
  seconds = 0;

  of<T>(work: () => T): T {
    const startMs = performance.now();
    const result = work();
    this.seconds += (performance.now() - startMs) / 1e3;
    return result;
  }
}

printTitle('Records through the judge', [
  `${RECORDS} records of ${EVENTS} events in batches of ${BATCH}, in memory: \`recordLine\`, ` +
    '`parseRecordLine`, then the summariser with an objective of TTFT, TPOT and attainment. Wall ' +
    'time of one thread; making the records is not timed.',
]);
const write = new Stopwatch();
const parse = new Stopwatch();
const add = new Stopwatch();
const finish = new Stopwatch();
let characters = 0;
const objective = objectiveOf('ttft<=500ms, tpot<=28ms, attainment>=95%');
const summariser = createSummariser({
  toolVersion: 'bench',
  experimentHash: 'test',
  source: 'measured',
  clock: 'client',
  prefixCache: 'unique',
  exactOutput: false,
  points: [pointOf({ level: 100, offeredRps: 100, stopNs: RECORDS * 10 * MS })],
  objective,
  correctness: objective,
});
for (let from = 0; from < RECORDS; from += BATCH) {
  const records = Array.from({ length: BATCH }, (_, at) => makeRecord(from + at));
  const lines = write.of(() => records.map(recordLine));
  for (const line of lines) characters += line.length + 1;
  const read = parse.of(() =>
    lines.map((line, at) => parseRecordLine(line, { file: 'bench', line: at + 1 })),
  );
  add.of(() => {
    for (const record of read) {
      if (isRecordProblem(record)) throw new Error(record.message);
      summariser.add(record);
    }
  });
}
const summary = finish.of(() => summariser.finish());
const judge = add.seconds + finish.seconds;
const stages = [
  ['write', write.seconds],
  ['parse', parse.seconds],
  ['summarise', judge],
  ['parse + summarise (`goodput judge`)', parse.seconds + judge],
] as const;
printTable(
  ['stage', 'records/s', 'events/s', 'µs/record'],
  stages.map(([stage, seconds]) => [
    stage,
    (RECORDS / seconds).toFixed(0),
    ((RECORDS * EVENTS) / seconds).toExponential(2),
    ((1e6 * seconds) / RECORDS).toFixed(1),
  ]),
);
print([
  `Size: ${(characters / RECORDS / 1e3).toFixed(2)} MB per 1000 records. Of the summarising, ` +
    `${((100 * finish.seconds) / judge).toFixed(0)} % is the end (quantiles). Resident memory ` +
    `${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB; verdict ${summary.verdict}.`,
]);
