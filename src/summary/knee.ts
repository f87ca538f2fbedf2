/** Where a sweep's load begins to cost its users: the knee, by goodput that the objective constrains. */
import type { PointSummary, SweepKnee } from './summary.ts';

/** What is looked at of each load point. */
export type KneePoint = Pick<PointSummary, 'load' | 'attainment' | 'population' | 'goodputRps'> & {
  readonly validity: Pick<PointSummary['validity'], 'valid'>;
};

/**
 * The largest load of a sweep up to which every load met the attainment target. Loads whose
 * measurement cannot be trusted are passed over. A load that meets the target above one that missed
 * it is luck or noise until measured longer, so it does not raise the knee; it is told.
 *
 * `null` for a single point and where no attainment target was set.
 */
export function kneeOf(points: readonly KneePoint[]): SweepKnee | null {
  const tried = points
    .filter(({ validity }) => validity.valid)
    .flatMap((point) => {
      const result = point.population.find(({ target }) => target.startsWith('attainment'));
      return result === undefined ? [] : [{ point, result }];
    })
    .toSorted((a, b) => a.point.load.level - b.point.load.level);
  const [lowest] = tried;
  if (points.length < 2 || lowest === undefined) return null;
  const target = lowest.result.limit;
  const firstShort = tried.findIndex(({ result }) => result.state !== 'met');
  const met = firstShort < 0 ? tried : tried.slice(0, firstShort);
  const at = met.at(-1)?.point ?? null;
  const proven = met.filter(
    ({ point: { attainment } }) =>
      attainment.interval !== null && attainment.interval.low >= target,
  );
  const next = firstShort < 0 ? undefined : tried[firstShort];
  return {
    target,
    level: at?.load.level ?? null,
    goodputRps: at?.goodputRps ?? null,
    provenLevel: proven.at(-1)?.point.load.level ?? null,
    next:
      next === undefined
        ? null
        : {
            level: next.point.load.level,
            state: next.result.state === 'missed' ? 'missed' : 'notEnoughData',
            share: next.point.attainment.share,
          },
    metAbove: tried
      .slice(met.length + 1)
      .flatMap(({ point, result }) => (result.state === 'met' ? [point.load.level] : [])),
  };
}
