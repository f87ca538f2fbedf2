/** Do the intervals of judged logs hold, in total and by window, although requests share a queue? */
import { coverageOf, judgeQueueLogs } from '../test/support/queue-log.ts';
import { CAPACITY_RPS, ENGINE, MD1, MM1 } from '../test/support/queue-window.ts';
import { printTable, printTitle, QUICK, type Row } from './support/report.ts';

const LOGS = QUICK ? 2 : 200;
const CASES = [
  ...[0.5, 0.85, 1, 1.05].map((load) => ({ model: MM1, load, hours: 2 })),
  ...[0.85, 1].map((load) => ({ model: MM1, load, hours: 12 })),
  ...[0.5, 0.85, 1].map((load) => ({ model: MD1, load, hours: 2 })),
  { model: ENGINE, load: 1, hours: 1 },
];

printTitle('Intervals of judged logs', [
  `${LOGS} logs a row, in windows of 10 minutes of 20 slices; load as a part of the rate at which ` +
    'the model attains 95 % (M/M/1 and M/D/1 in closed form, the engine by a run of 320 000 s).',
]);
printTable(
  [
    'model',
    'load',
    'truth',
    'log',
    'covered',
    'stated',
    'windows covered',
    'stated',
    'if independent',
    'windows if independent',
  ],
  CASES.map(({ model, load, hours }): Row => {
    const rps = load * CAPACITY_RPS;
    const truth = model.attainment(rps) ?? 0.95;
    const logs = judgeQueueLogs(model, rps, QUICK ? 1_200 : hours * 3_600, LOGS);
    const total = coverageOf(logs.totals, truth);
    const windows = coverageOf(logs.windows, truth);
    return [
      model.name,
      `${load}×`,
      percent(truth, 2),
      `${hours} h`,
      percent(total.holds),
      percent(total.stated),
      percent(windows.holds),
      percent(windows.stated),
      percent(coverageOf(logs.naive, truth).holds),
      percent(coverageOf(logs.naiveWindows, truth).holds),
    ];
  }),
);

function percent(share: number, digits = 1): string {
  return Number.isNaN(share) ? '-' : `${(share * 100).toFixed(digits)} %`;
}
