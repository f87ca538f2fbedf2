/** The knee of a sweep in one sentence. */
import type { PointLoad, SweepKnee } from '../summary/index.ts';
import { rateFigure, shareFigure } from './figures.ts';
import { levelText } from './words.ts';

/** What the sweep says of its knee; `kind` names the unit of its levels. */
export function kneeText(knee: SweepKnee, kind: PointLoad['kind']): string {
  const at = (level: number): string =>
    levelText({ kind, level, label: '', closedLoop: kind === 'concurrency' || kind === 'users' });
  const { next, metAbove } = knee;
  const target = shareFigure(knee.target);
  const above = next === null ? '' : `${at(next.level)} ${nextText(next, target)}`;
  if (knee.level === null) return `below the lowest load tried: ${above}`;
  const found = `${at(knee.level)} is the largest load to meet ${target}: ${rateFigure(knee.goodputRps)} good`;
  const proof =
    knee.provenLevel === knee.level
      ? 'proven'
      : knee.provenLevel === null
        ? 'not proven at any load: measure longer'
        : `proven up to ${at(knee.provenLevel)}`;
  const beyond = next === null ? 'the knee is beyond the loads tried' : above;
  const luck =
    metAbove.length === 0
      ? ''
      : `; ${metAbove.map(at).join(', ')} met it again above that, by luck or noise`;
  return `${found} (${proof}); ${beyond}${luck}`;
}

function nextText(next: NonNullable<SweepKnee['next']>, target: string): string {
  return next.state === 'missed'
    ? `missed it with ${shareFigure(next.share)}`
    : `has too few requests to tell whether it met ${target}`;
}
