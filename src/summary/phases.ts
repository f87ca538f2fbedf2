/** A load point cut into its phases, each with its own row. */
import type { ManifestPoint } from '../record/index.ts';
import { isJudged } from './rates.ts';
import type { RequestRow } from './request-row.ts';
import { type Population, strataBy } from './strata.ts';
import type { StratumSummary } from './summary.ts';

/** The judged window, and the whole point beside it. */
export interface Populations {
  readonly judged: Population;
  readonly whole: Population;
}

/** Three splits of the whole point: by warm-up, declared or found, by connection, and by address. */
export function phasesOf(
  rows: readonly RequestRow[],
  point: ManifestPoint,
  { judged, whole }: Populations,
): StratumSummary[] {
  const { steadyFromNs } = point;
  const connections = {
    cold: 'cold connection',
    reused: 'reused connection',
    none: 'not connected',
  };
  const byConnection = [
    ...strataBy(rows, whole, (row) => connections[row.connection], Object.values(connections)),
    ...addressesOf(rows, whole),
  ];
  if (steadyFromNs === null) return byConnection;
  const isSteady = (row: RequestRow): boolean => isJudged(row.plannedNs, point);
  const warming = rows.filter((row) => !isSteady(row));
  // Each part is a window of its own: batches of the other would tell nothing of it.
  const start = { ...whole.inference, toNs: steadyFromNs, count: warming.length };
  return [
    ...strataBy(warming, { window: 'wall', inference: start }, () => 'warmup'),
    ...strataBy(rows.filter(isSteady), { ...judged, window: 'wall' }, () => 'steady'),
    ...byConnection,
  ];
}

/** More than these are rather one server each request than servers to compare. */
const ADDRESSES_MOST = 16;

/** Requests by the address that answered, where a name has several. */
function addressesOf(rows: readonly RequestRow[], whole: Population): StratumSummary[] {
  const connected = rows.filter((row) => row.address !== null);
  const count = new Set(connected.map((row) => row.address)).size;
  if (count < 2 || count > ADDRESSES_MOST) return [];
  return strataBy(connected, whole, (row) => `address ${row.address}`);
}
