/** One run in the viewer: what it came to, and what other limits would have made of it. */
import { markup, type Markup, msFromNs, tokenCountText } from '../../base/index.ts';
import { figuresTable } from '../../page/index.ts';
import type { Objective } from '../../slo/index.ts';
import type { LivePoint, PointSummary, Summary, WhatIfPoint } from '../../summary/index.ts';
import { sureShareFigure } from '../certainty.ts';
import { countFigure, levelFigure, rateFigure, shareFigure } from '../figures.ts';
import { validitySection, verdictSection } from '../html/verdict-section.ts';
import type { ListedRun } from './runs-page.ts';
import { runPath, type ViewPage, viewPage } from './view-page.ts';

type Frame = Omit<ViewPage, 'title' | 'main'>;

/** A finished run. `objective` is what its records were judged by. */
export function finishedRunPage(
  { name, summary }: ListedRun & { readonly summary: Summary },
  objective: Objective,
  frame: Frame,
): string {
  const path = runPath(name);
  const main = markup`${verdictSection(summary)}
<p><a href="${`${path}/report`}">The whole report: charts, strata, settings</a></p>
<section aria-labelledby="what-if-h"><h2 id="what-if-h">What if the limits were others</h2>
<p class="soft">Judged again from the stored requests. An empty field is no limit. What the service would do under other load or with other users, this cannot say.</p>
<noscript><p>This needs scripts; <code>goodput judge</code> does the same on the command line.</p></noscript>
<form data-what-if="${`${path}/what-if`}"><fieldset class="limits"><legend class="hidden">Limits</legend>${limitFields(objective, summary.points)}</fieldset>
<p><button type="submit">Judge</button> <button type="reset">As measured</button></p></form>
<p role="status" aria-live="polite">${sentenceOf(summary.points, objective.population.attainmentShare)}</p>
<div data-results="">${figuresTable({ columns: WHAT_IF_COLUMNS, rows: whatIfRows(summary.points) }, 'What these limits make of each load')}</div></section>
<section aria-labelledby="valid-h"><h2 id="valid-h">Can it be trusted</h2>${validitySection(summary)}</section>`;
  return viewPage({ ...frame, title: name, main });
}

/** A run without a result: followed while its records grow. */
export function runningRunPage({ name, manifest }: ListedRun, frame: Frame): string {
  const main = markup`<p class="soft">${manifest.target.url} · started ${manifest.startedAt}</p>
<p role="status" aria-live="polite">looking for records…</p>
<div data-live="${`${runPath(name)}/live`}">${figuresTable({ columns: LIVE_COLUMNS, rows: [] }, 'Load points so far')}</div>
<p class="soft">Attainment is of the requests that have ended: while a backlog grows, slow ones are still open and it reads too high. The run’s own report has intervals.</p>`;
  return viewPage({ ...frame, title: name, main });
}

const WHAT_IF_COLUMNS = ['load', 'n', 'attained', 'good /s', 'missed, by limit'];

/** A row a load point, as text. */
export function whatIfRows(
  points: readonly Pick<WhatIfPoint, 'load' | 'attainment' | 'goodputRps' | 'misses'>[],
): string[][] {
  return points.map(({ load, attainment, goodputRps, misses }) => [
    load.label,
    countFigure(attainment.offered),
    sureShareFigure(attainment),
    levelFigure(goodputRps),
    misses
      .filter(({ missed }) => missed > 0)
      .map(({ objective, missed, soleMiss }) => `${objective} ${missed} (${soleMiss} alone)`)
      .join(', ') || 'nothing',
  ]);
}

/** What a listener hears after a change. */
export function sentenceOf(
  points: readonly Pick<WhatIfPoint, 'load' | 'attainment'>[],
  targetShare: number | null,
): string {
  return points
    .slice(0, 12)
    .map(({ load, attainment }) => {
      const { share, interval } = attainment;
      const state =
        targetShare === null || share === null
          ? ''
          : `, target ${shareFigure(targetShare)} ${share >= targetShare ? 'met' : 'missed'}${isProven(interval, targetShare) ? '' : ', not proven'}`;
      const where = points.length > 1 ? `${load.label}: ` : '';
      return `${where}attained ${shareFigure(share)} of ${countFigure(attainment.offered)}${state}`;
    })
    .join('; ');
}

function isProven(interval: WhatIfPoint['attainment']['interval'], target: number): boolean {
  return interval !== null && (interval.low >= target || interval.high < target);
}

const LIVE_COLUMNS = ['load', 'ended', 'good', 'failed', 'dropped', 'attained so far'];

/** A row a load point of a run that goes on, as text. */
export function liveRows(
  points: readonly { readonly label: string; readonly live: LivePoint }[],
): string[][] {
  return points.map(({ label, live: { verdicts, outcomes, attainment } }) => [
    label,
    countFigure(Object.values(outcomes).reduce((sum, count) => sum + count, 0)),
    countFigure(verdicts.good),
    countFigure(outcomes.failed + outcomes.timedOut),
    countFigure(outcomes.dropped),
    shareFigure(attainment.share),
  ]);
}

/** `perSecond`: records that came in since the last look, by time. */
export function liveSentence(
  recordCount: number,
  perSecond: number | null,
  idleSeconds: number,
): string {
  if (recordCount === 0) return 'no record yet';
  const idle =
    idleSeconds >= 15 ? `; nothing new for ${Math.round(idleSeconds)} s: it may have crashed` : '';
  const pace = perSecond === null ? '' : `, ${rateFigure(perSecond)} of late`;
  return `${countFigure(recordCount)} requests so far${pace}${idle}`;
}

interface LimitField {
  readonly key: string;
  readonly label: string;
  /** ms or percent; `null` = no limit. */
  readonly value: number | null;
  readonly most: number;
}

function limitFields(objective: Objective, points: readonly PointSummary[]): Markup[] {
  const { request, population } = objective;
  const ms = (ns: number | null): number | null => (ns === null ? null : msFromNs(ns));
  const seen = (of: (point: PointSummary) => number | null): number =>
    Math.max(0, ...points.map((point) => of(point) ?? 0));
  const field = (
    key: string,
    label: string,
    limitNs: number | null,
    seenNs: number,
  ): LimitField => ({
    key,
    label: `${label}, ms`,
    value: ms(limitNs),
    most: Math.max(10, Math.ceil(msFromNs(Math.max(seenNs, 2 * (limitNs ?? 0))))),
  });
  const ttftSeen = seen((point) => point.ttftFromPlannedNs.max);
  const ttft = request.ttft ?? [{ fromTokens: 0, toTokens: null, limitNs: null }];
  const fields: LimitField[] = [
    ...ttft.map(({ fromTokens, toTokens, limitNs }) => {
      const to = toTokens === null ? 'and more' : `to ${tokenCountText(toTokens)}`;
      const bucket = ttft.length === 1 ? '' : `, prompts of ${tokenCountText(fromTokens)} ${to}`;
      return field('ttft', `TTFT at most${bucket}`, limitNs, ttftSeen);
    }),
    field(
      'tpot',
      'TPOT at most',
      request.tpot?.limitNs ?? null,
      seen((point) => point.tpotNs.max),
    ),
    field(
      'gap',
      'longest gap at most',
      request.gapMaxNs,
      seen((point) => point.chunkGapNs.max),
    ),
    field(
      'e2e',
      'whole answer within',
      request.e2eNs,
      seen((point) => point.completionFromPlannedNs.max),
    ),
    {
      key: 'attainment',
      label: 'target attainment, %',
      value: population.attainmentShare === null ? null : 100 * population.attainmentShare,
      most: 100,
    },
  ];
  return fields.map(limitField);
}

function limitField({ key, label, value, most }: LimitField, at: number): Markup {
  const id = `limit-${at}`;
  const step = most > 200 ? '1' : '0.1';
  const rounded = value === null ? '' : String(Math.round(value * 1e6) / 1e6);
  return markup`<div class="limit"><label for="${id}">${label}</label><div><input type="range" data-for="${id}" aria-label="${label}" min="0" max="${String(most)}" step="${step}" value="${rounded === '' ? String(most) : rounded}"><input type="number" id="${id}" name="${key}" min="0" max="${key === 'attainment' ? '100' : '1000000000'}" step="any" value="${rounded}"></div></div>`;
}
