import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../test/support/golden.ts';
import { nsFromSeconds } from '../base/index.ts';
import { liveLines, livePlainLine, type LiveStatus, pointEndedLine } from './live-view.ts';
import { progressEventLine, progressEventSchema, standingEvent } from './progress-event.ts';

function statusOf(change: Partial<LiveStatus> = {}): LiveStatus {
  return {
    label: 'open loop, Poisson 4/s',
    pointNumber: 2,
    pointCount: 4,
    elapsedNs: nsFromSeconds(30),
    offeringNs: nsFromSeconds(60),
    laterNs: nsFromSeconds(120),
    requests: { scheduled: 240, ended: 105, inFlight: 12, dropped: 3 },
    closedLoop: false,
    live: {
      verdicts: { good: 98, bad: 9, excluded: 0, unjudged: 1 },
      outcomes: { dropped: 3, refused: 0, failed: 1, cancelled: 0, timedOut: 1, completed: 103 },
      attainment: {
        good: 91,
        offered: 96,
        share: 91 / 96,
        interval: { low: 0.882, high: 0.983, level: 0.95, method: 'test', effectiveN: 80 },
      },
      targetShare: 0.95,
    },
    ...change,
  };
}

const silent: LiveStatus['live'] = {
  verdicts: { good: 0, bad: 0, excluded: 0, unjudged: 0 },
  outcomes: { dropped: 0, refused: 0, failed: 0, cancelled: 0, timedOut: 0, completed: 0 },
  attainment: { good: 0, offered: 0, share: null, interval: null },
  targetShare: null,
};

const CASES: readonly (readonly [string, LiveStatus])[] = [
  ['in the middle of a sweep', statusOf()],
  ['one point', statusOf({ pointNumber: 1, pointCount: 1, laterNs: 0 })],
  ['a window of a search', statusOf({ pointCount: null, laterNs: null })],
  [
    'just started',
    statusOf({
      elapsedNs: 0,
      live: silent,
      requests: { scheduled: 240, ended: 0, inFlight: 0, dropped: 0 },
    }),
  ],
  ['draining', statusOf({ elapsedNs: nsFromSeconds(63), pointNumber: 4, laterNs: 0 })],
  [
    'a closed loop that runs out of requests',
    statusOf({
      closedLoop: true,
      label: 'closed loop, 8 in flight',
      requests: { scheduled: 120, ended: 88, inFlight: 2, dropped: 0 },
    }),
  ],
  [
    'hours',
    statusOf({
      offeringNs: nsFromSeconds(36_000),
      elapsedNs: nsFromSeconds(4_000),
      laterNs: nsFromSeconds(72_000),
    }),
  ],
];

describe('the live view', () => {
  it.each([100, 40])('at %i columns', (width) => {
    const pages = CASES.map(
      ([name, status]) => `${name}\n${liveLines(status, { width, color: false }).join('\n')}\n`,
    );
    expectGolden(`live/columns-${width}.txt`, pages.join('\n'));
  });

  it('on lines of their own', () => {
    const lines = CASES.map(
      ([, status]) => `${livePlainLine(status)}\n${pointEndedLine(status)}\n`,
    );
    expectGolden('live/lines.txt', lines.join(''));
  });

  it('keeps every line within the width, whatever the figures and the label', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 200 }),
        fc.string({ unit: 'binary', maxLength: 120 }),
        fc.nat(1e9),
        fc.nat(1e6),
        (width, label, count, seconds) => {
          const requests = { scheduled: count, ended: count, inFlight: count, dropped: count };
          const status = statusOf({ label, requests, elapsedNs: nsFromSeconds(seconds) });
          const lines = liveLines(status, { width, color: false });
          expect(lines).toHaveLength(5);
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('lets no label drive the terminal', () => {
    const label = 'model\u001b[2J\u0007\r\n\u202eevil';
    const shown = [
      ...liveLines(statusOf({ label }), { width: 90, color: false }),
      livePlainLine(statusOf({ label })),
    ];
    // eslint-disable-next-line no-control-regex -- control characters are the point
    for (const line of shown) expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it('paints attainment only when the interval has made up its mind', () => {
    const paint = (low: number, high: number): string => {
      const { live } = statusOf();
      const interval = { low, high, level: 0.95, method: 'test', effectiveN: 80 };
      const attainment = { ...live.attainment, interval };
      return liveLines(statusOf({ live: { ...live, attainment } }), { width: 90, color: true }).at(
        -1,
      ) as string;
    };
    expect(paint(0.95, 0.99)).toContain('\u001b[32m');
    expect(paint(0.9, 0.9499)).toContain('\u001b[31m');
    expect(paint(0.9, 0.99)).toContain('\u001b[33m');
  });
});

describe('progress for machines', () => {
  it('is one line of sound JSON, as the schema says', () => {
    const line = progressEventLine(standingEvent('progress', statusOf({ label: 'a\nb\u001b[2J' })));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    const parsed = progressEventSchema.parse(JSON.parse(line));
    expect(parsed).toMatchObject({
      event: 'progress',
      point: 2,
      label: 'a\\u000ab\\u001b[2J',
      ended: 105,
      attainment: { share: 91 / 96, low: 0.882, high: 0.983, offered: 96, target: 0.95 },
    });
  });

  it('says what is not known yet', () => {
    const event = standingEvent('pointEnded', statusOf({ live: silent }));
    expect(progressEventSchema.parse(event)).toMatchObject({
      event: 'pointEnded',
      attainment: { share: null, low: null, high: null, target: null },
    });
  });
});
