import type { StepPool, StepRow } from '../record/index.ts';

/** The steps of one replica, in order of time. */
export interface ReplicaSteps {
  /** `replica 0`, `prefill replica 1`. */
  readonly name: string;
  readonly rows: readonly StepRow[];
}

/** The steps by replica: prefill before decode, then by number. */
export function stepsByReplica(rows: readonly StepRow[]): ReplicaSteps[] {
  const groups = new Map<string, StepRow[]>();
  for (const row of rows) {
    const name = replicaName(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  const order: readonly StepPool[] = ['mixed', 'prefill', 'decode'];
  const place = ([row]: readonly StepRow[]): number =>
    row === undefined ? 0 : order.indexOf(row.pool) * 1e6 + row.replicaIndex;
  return [...groups]
    .map(([name, own]) => ({ name, rows: own }))
    .toSorted((a, b) => place(a.rows) - place(b.rows));
}

function replicaName({ pool, replicaIndex }: StepRow): string {
  return pool === 'mixed' ? `replica ${replicaIndex}` : `${pool} replica ${replicaIndex}`;
}
