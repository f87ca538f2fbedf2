/** What `goodput doctor` found, for people. */
import { type Finding, processesNeeded, verdictOf, type PlannedLoad } from '../doctor/index.ts';
import type { ClientCalibration, SpanQuantiles } from '../record/index.ts';
import { countFigure, durationFigure, NOT_OBSERVED, rateFigure, shareFigure } from './figures.ts';
import { aligned, labelled, LABEL_WIDTH, wrapped } from './layout.ts';
import { paletteOf, type Palette } from './palette.ts';

export interface DoctorReport {
  readonly load: PlannedLoad;
  readonly calibration: ClientCalibration;
  readonly findings: readonly Finding[];
  /** Where the calibration was written. */
  readonly file: string;
}

const WORDS = { pass: 'PASS', warn: 'WARN', fail: 'FAIL' } as const;

/** The verdict first, then the load, the figures, and a line per check with what to do. */
export function terminalDoctor(
  { load, calibration, findings, file }: DoctorReport,
  page: { readonly width: number; readonly color: boolean },
): string {
  const palette = paletteOf(page.color);
  const verdict = verdictOf(findings);
  const lines = [
    ...margin(paint(palette, verdict), WORDS[verdict], VERDICTS[verdict], page.width),
    ...labelled('Load', loadText(load, calibration), page.width),
    '',
    ...figureRows(calibration, palette),
    '',
    ...labelled('Cost', costText(load, calibration), page.width),
    ...findings.flatMap(({ state, message, advice }) =>
      margin(
        paint(palette, state),
        WORDS[state],
        advice === null ? message : `${message} → ${advice}`,
        page.width,
      ),
    ),
    ...labelled('File', `${file}: goodput run takes it with --calibration`, page.width),
  ];
  return `${lines.join('\n')}\n`;
}

const VERDICTS = {
  pass: 'this client can be trusted at the planned load',
  warn: 'this client can be used at the planned load, with care',
  fail: 'do not measure at the planned load from here: the figures would be this client’s own',
} as const;

function paint({ good, doubtful, bad, bold }: Palette, state: Finding['state']) {
  const tone = { pass: good, warn: doubtful, fail: bad }[state];
  return (text: string): string => bold(tone(text));
}

/** As `labelled`, with the word in its colour. */
function margin(
  painted: (text: string) => string,
  word: string,
  text: string,
  width: number,
): string[] {
  const blank = ' '.repeat(LABEL_WIDTH);
  return wrapped(text, width - LABEL_WIDTH).map((line, index) =>
    index === 0 ? `${painted(word)}${' '.repeat(LABEL_WIDTH - word.length)}${line}` : blank + line,
  );
}

function loadText(
  { streamCount, tokensPerSecond, chunksRps, startsRps, burst }: PlannedLoad,
  { transport, api }: ClientCalibration,
): string {
  const rhythm = burst ? 'all at once' : 'spread';
  return (
    `${countFigure(streamCount)} streams × ${rateFigure(tokensPerSecond)}, ${rhythm}: ` +
    `${countFigure(Math.round(chunksRps))} chunks/s, ${rateFigure(startsRps).replace('/s', '')} starts/s · ` +
    `${transport.name}${transport.tls ? ' over TLS' : ''}, ${api}`
  );
}

function figureRows(calibration: ClientCalibration, { dim }: Palette): string[] {
  const row = (name: string, { p50Ns, p99Ns, maxNs, sampleCount }: SpanQuantiles): string[] => [
    name,
    durationFigure(p50Ns),
    durationFigure(p99Ns),
    durationFigure(maxNs),
    countFigure(sampleCount),
  ];
  const [header = '', ...rows] = aligned([
    ['How late', 'p50', 'p99', 'max', 'n'],
    row('stamp age: stamp − sending', calibration.stampAge),
    row('  outside this client’s stalls', calibration.calmStampAge),
    row('start lateness: sent − due', calibration.lateness),
    row('emulator behind its plan', calibration.serverLateness),
  ]);
  return [dim(header), ...rows];
}

function costText({ chunksRps }: PlannedLoad, calibration: ClientCalibration): string {
  const { chunkCpuNs, loopUtilisationShare, roomChunksRps, reached } = calibration;
  const room =
    roomChunksRps === null
      ? ''
      : ` · room for about ${countFigure(Number(roomChunksRps.toPrecision(2)))} chunks/s at 65 % of a loop`;
  const needed = processesNeeded(chunksRps, calibration);
  return (
    `${chunkCpuNs === null ? NOT_OBSERVED : durationFigure(chunkCpuNs)} of processor a chunk at ` +
    `${countFigure(Math.round(reached.chunksRps))} chunks/s · loop busy ${shareFigure(loopUtilisationShare)}${room}` +
    (needed > 1 ? ` · ${needed} processes needed` : '')
  );
}
