/** A capacity search on the terminal: the figure to sign first, then what it rests on. */
import type { CapacityReport } from '../planner/index.ts';
import { costText, endText, noIntervalText, objectiveWord, secondsText } from './capacity-words.ts';
import { NO_INTERVAL_MARK } from './certainty.ts';
import { countFigure, levelFigure, rateFigure, shareFigure } from './figures.ts';
import { aligned, LABEL_WIDTH, labelled, PAGE_WIDTH } from './layout.ts';
import { type Palette, paletteOf } from './palette.ts';
import type { TerminalOptions } from './terminal-report.ts';

const ROWS_MAX = 12;

/** The report, lines ended by `\n`. */
export function terminalCapacity(report: CapacityReport, options: TerminalOptions): string {
  const width = Math.max(60, Math.min(options.width, PAGE_WIDTH));
  const palette = paletteOf(options.color);
  const line = (label: string, text: string): string[] =>
    labelled(label, text, width).map((each) =>
      each.startsWith(label) ? palette.dim(label) + each.slice(label.length) : each,
    );
  const files = options.files.length === 0 ? [] : line('Files', options.files.join('  '));
  return [
    ...headLines(report, width, palette, line),
    ...demandLines(report, width, palette, line),
    ...bindLines(report, line),
    ...bandLines(report, line),
    '',
    ...curveLines(report, palette, options.explain),
    ...line('Asked', report.objective),
    ...line('Method', methodText(report)),
    ...warningLines(report, line),
    ...line('Spent', spentText(report)),
    ...tighterLines(report, line),
    ...(options.explain ? windowLines(report, palette) : []),
    ...files,
  ]
    .map((each) => `${each}\n`)
    .join('');
}

type Line = (label: string, text: string) => string[];

/** A line whose label and opening words stand out. */
function headed(
  page: { readonly width: number; readonly palette: Palette },
  label: string,
  told: { readonly words: string; readonly paint: (text: string) => string; readonly text: string },
): string[] {
  const { bold } = page.palette;
  return labelled(label, `${told.words}${told.text}`, page.width).map((line, at) =>
    at === 0
      ? bold(line.slice(0, LABEL_WIDTH)) +
        line.slice(LABEL_WIDTH).replace(told.words, (words) => bold(told.paint(words)))
      : line,
  );
}

/** Only what is proven may be planned with: without a lower bound there is nothing to say. */
function averageText(averageRps: number | null): string {
  return averageRps === null ? '' : `: average demand up to ${rateFigure(averageRps)}`;
}

function headLines(report: CapacityReport, width: number, palette: Palette, line: Line): string[] {
  const { capacity, ladder, plan, end } = report;
  const page = { width, palette };
  const target = shareFigure(plan.targetShare);
  if (capacity === null) {
    const streams = ladder?.largestStreams ?? null;
    const told =
      streams === null
        ? { words: 'NONE', paint: palette.bad, text: `: no concurrency tried attains ${target}` }
        : {
            words: `${countFigure(streams)} in flight`,
            paint: palette.good,
            text: `: the largest concurrency tried that attains ${target}`,
          };
    return [
      ...headed(page, 'CLOSED', told),
      ...line(
        'Mind',
        'a closed loop: each request waits for the one before, so a slow server gets less load. ' +
          'This is no rate that users may arrive at; leave --closed out for that.',
      ),
      ...endLine(report, line),
    ];
  }
  const { rps, lowRps, highRps, plannableRps } = capacity;
  if (rps === null) {
    const text = `: ${endText(end, capacity)}`;
    return headed(page, 'CAPACITY', { words: 'not found', paint: palette.bad, text });
  }
  const interval =
    lowRps === null || highRps === null
      ? 'not proven: no interval'
      : `95 % interval ${rateRange(lowRps, highRps)}`;
  return [
    ...headed(page, 'CAPACITY', {
      words: `${lowRps === null ? 'about ' : ''}${rateFigure(rps)}`,
      paint: lowRps === null ? palette.doubtful : palette.good,
      text: `, where ${target} of requests are good (${interval})`,
    }),
    ...headed(
      page,
      'PLAN',
      plannableRps === null
        ? { words: 'nothing yet', paint: palette.doubtful, text: `: ${noIntervalText(capacity)}` }
        : {
            words: `with ${rateFigure(plannableRps)}`,
            paint: palette.good,
            text: `: up to here the target is met with 95 % confidence`,
          },
    ),
    ...endLine(report, line),
  ];
}

function endLine({ end, capacity }: CapacityReport, line: Line): string[] {
  return end === 'budgetSpent' || end === 'precise' ? [] : line('Ended', endText(end, capacity));
}

function demandLines(
  report: CapacityReport,
  width: number,
  palette: Palette,
  line: Line,
): string[] {
  const { headroom, demand, capacity } = report;
  if (capacity === null) return [];
  const lines =
    capacity.rps === null
      ? []
      : line(
          'Headroom',
          headroom === null
            ? 'none declared: this is all the service takes. Declare what must still fit with --burst, --growth, --failover'
            : `${headroomText(headroom)} leave ${shareFigure(headroom.usableShare)} of it${averageText(headroom.averageRps)}`,
        );
  if (demand === null) return lines;
  const [words, paint] = DEMAND_WORDS[demand.verdict];
  const needs =
    demand.requiredRps === demand.averageRps
      ? rateFigure(demand.averageRps)
      : `${rateFigure(demand.averageRps)} on average, ${rateFigure(demand.requiredRps)} with its headroom`;
  return [
    ...lines,
    ...headed({ width, palette }, 'DEMAND', {
      words,
      paint: palette[paint],
      text: `: ${needs}${moreText(report)}`,
    }),
  ];
}

const DEMAND_WORDS: Readonly<
  Record<
    NonNullable<CapacityReport['demand']>['verdict'],
    readonly [string, 'good' | 'doubtful' | 'bad']
  >
> = {
  met: ['MET', 'good'],
  likely: ['LIKELY, NOT PROVEN', 'doubtful'],
  unlikely: ['UNLIKELY, NOT REFUTED', 'doubtful'],
  missed: ['MISSED', 'bad'],
  unknown: ['UNKNOWN', 'doubtful'],
};

/** How much more measuring would likely settle a demand in doubt. */
function moreText({ demand, tighter }: CapacityReport): string {
  const doubtful = demand?.verdict === 'likely' || demand?.verdict === 'unlikely';
  if (!doubtful || tighter === null) return '';
  return `; about ${countFigure(tighter.requests)} more requests, ${secondsText(tighter.seconds)}, would narrow it to ±2 %`;
}

function headroomText(headroom: NonNullable<CapacityReport['headroom']>): string {
  const { burstFactor, growthShare, failover } = headroom;
  return [
    burstFactor === null ? null : `bursts of ×${burstFactor}`,
    growthShare === null ? null : `growth of ${shareFigure(growthShare)}`,
    failover === null ? null : `${failover.lost} of ${failover.replicas} replicas lost`,
  ]
    .filter((part) => part !== null)
    .join(' and ');
}

function bindLines({ atCapacity, capacity, otherTargets }: CapacityReport, line: Line): string[] {
  if (atCapacity === null) return [];
  const { objective, objectiveMissShare, bucket, bucketMissShare, bucketOfferedShare } = atCapacity;
  const where = capacity === null ? 'there' : 'at capacity';
  const binds =
    objective === null
      ? `nothing: no request was bad ${where}`
      : `${objectiveWord(objective)}, missed by ${shareFigure(objectiveMissShare)} of the bad requests ${where}` +
        (bucket === null
          ? ''
          : `; prompts of ${bucket} tokens are ${shareFigure(bucketMissShare)} of the bad and ${shareFigure(bucketOfferedShare)} of all`);
  const ceiling =
    atCapacity.ceilingDrops === 0
      ? ''
      : ` · CEILING-LIMITED: ${countFigure(atCapacity.ceilingDrops)} requests found too many in flight (--max-in-flight)`;
  const others = otherTargets.map(
    ({ target, met, missed, undecided }) =>
      `${target}: met in ${met}, missed in ${missed}${undecided > 0 ? `, undecided in ${undecided}` : ''} windows up to capacity`,
  );
  return [
    ...line('Binds', binds),
    ...line(
      'Inside',
      `${levelFigure(atCapacity.inFlightMean)} requests in flight on average, ${levelFigure(atCapacity.inFlightP99)} at the 99th percentile ${where}${ceiling}`,
    ),
    ...(others.length === 0 ? [] : line('Also', others.join(' · '))),
  ];
}

function bandLines({ stepTimeBand, capacity }: CapacityReport, line: Line): string[] {
  if (stepTimeBand === null || capacity?.rps === undefined) return [];
  const { slowerRps, fasterRps, share } = stepTimeBand;
  return line(
    'Band',
    `${rateRange(slowerRps, fasterRps)} if the simulated steps are really ${shareFigure(share)} slower … faster: ` +
      'a simulated capacity is never surer than its step times',
  );
}

function curveLines(report: CapacityReport, palette: Palette, explain: boolean): string[] {
  const { curve, plan } = report;
  const closed = plan.kind === 'closed';
  const rows = explain || curve.length <= ROWS_MAX ? curve : nearTarget(curve, plan.targetShare);
  const [header = '', ...lines] = aligned([
    [
      closed ? 'in flight' : 'offered',
      'windows',
      'requests',
      'attained',
      ...(closed ? [] : ['fit']),
    ],
    ...rows.map(({ level, windows, offered, share, fittedShare }) => [
      closed ? countFigure(level) : rateFigure(level),
      countFigure(windows),
      countFigure(offered),
      `${NO_INTERVAL_MARK}${shareFigure(share)}`,
      ...(closed ? [] : [shareFigure(fittedShare)]),
    ]),
  ]);
  if (rows.length === 0) return [];
  return [
    palette.dim(header),
    ...lines.map((text, at) =>
      (rows[at]?.share ?? 0) >= plan.targetShare ? palette.good(text) : palette.bad(text),
    ),
    '',
  ];
}

/** The rows nearest the target, in order of load. */
function nearTarget(curve: CapacityReport['curve'], target: number): CapacityReport['curve'] {
  return curve
    .toSorted((a, b) => Math.abs((a.share ?? 0) - target) - Math.abs((b.share ?? 0) - target))
    .slice(0, ROWS_MAX)
    .toSorted((a, b) => a.level - b.level);
}

function methodText({ capacity, windows, source, plan }: CapacityReport): string {
  const count = windowsText(windows.length);
  if (plan.kind === 'closed') return `${count} of ${secondsText(plan.windowSeconds)} · ${source}`;
  const spread =
    capacity?.dispersion === null || capacity?.dispersion === undefined
      ? ''
      : `; windows differ as if 1 request in ${levelFigure(capacity.dispersion)} were independent`;
  const fitted = capacity?.windowsFitted ?? 0;
  const fit =
    fitted === 0 ? '' : `; logistic fit through the ${fitted} full ones near capacity${spread}`;
  return `${count}, each with arrivals and prompts of its own${fit} · open loop · ${source}`;
}

function windowsText(count: number): string {
  return count === 1 ? '1 window' : `${count} windows`;
}

function warningLines({ capacity, windows }: CapacityReport, line: Line): string[] {
  const rise = capacity?.rise ?? null;
  const lost = windows.filter(({ ending }) => ending === 'invalid').length;
  const broken = windows.filter(({ ending }) => ending === 'broken');
  return [
    ...(rise === null
      ? []
      : line(
          'Warning',
          `attainment rose with load, from ${shareFigure(rise.belowShare)} below ${rateFigure(rise.fromRps)} to ` +
            `${shareFigure(rise.fromShare)} from there on: something besides the load changed (a cold start, a cache, a neighbour)`,
        )),
    ...(lost === 0
      ? []
      : line(
          'Warning',
          `${lost} of ${windows.length} windows could not be trusted and were left out`,
        )),
    ...broken
      .slice(0, 2)
      .flatMap(({ level, why }) =>
        line('Stopped', `the window at ${levelFigure(level)}: ${why ?? 'circuit breaker'}`),
      ),
  ];
}

function spentText({ spent, effort, windows }: CapacityReport): string {
  return `${costText(spent)} in ${windowsText(windows.length)} (effort ${effort})`;
}

function tighterLines({ tighter }: CapacityReport, line: Line): string[] {
  return tighter === null ? [] : line('±2 %', `would take about ${costText(tighter)} more`);
}

/** Every window, in the order they ran. */
function windowLines({ windows }: CapacityReport, palette: Palette): string[] {
  const [header = '', ...rows] = aligned(
    [
      ['window', 'phase', 'load', 'judged', 'requests', 'attained', 'ended'],
      ...windows.map(
        ({ pointIndex, phase, level, measuredSeconds, offered, good, why, ending }) => [
          String(pointIndex),
          phase,
          levelFigure(level),
          secondsText(measuredSeconds),
          countFigure(offered),
          offered === 0 ? '–' : `${NO_INTERVAL_MARK}${shareFigure(good / offered)}`,
          why ?? ending,
        ],
      ),
    ],
    2,
  );
  return ['', palette.dim(header), ...rows, ''];
}

function rateRange(lowRps: number | null, highRps: number | null): string {
  return `${rateFigure(lowRps).replace('/s', '')}–${rateFigure(highRps)}`;
}
