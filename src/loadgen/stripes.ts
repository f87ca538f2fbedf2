/**
 * A load dealt to several generator processes. Each gets a stripe: a schedule of its own, of
 * requests that keep their places in the whole one, so that a run over stripes leaves the same
 * records as a run over the whole.
 */
import { assert } from '../base/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';

/**
 * Deals a schedule to `count` generators, round robin. What waits for one another stays together:
 * the requests of a session, and those released by the end of others. Slots are dealt out exactly,
 * and requests that wait for a slot in proportion to them.
 *
 * `count` must not exceed the slots: a generator without a slot would have nothing to do.
 */
export function stripesOf(schedule: Schedule, count: number): Schedule[] {
  const { requests, slots } = schedule;
  assert(count >= 1 && count <= (slots ?? count), `${slots} slots cannot be dealt to ${count}`);
  if (count === 1) return [schedule];
  const stripes = Array.from({ length: count }, (): ScheduledRequest[] => []);
  const stripeOfGroup = new Map<number, number>();
  const groupOf = groups(requests);
  let dealt = 0;
  for (const request of requests) {
    const group = groupOf(request.index);
    let stripe = stripeOfGroup.get(group);
    if (stripe === undefined) {
      // The slot of a pool that would take it if all answers took equally long.
      stripe = (dealt % (slots ?? count)) % count;
      dealt += 1;
      stripeOfGroup.set(group, stripe);
    }
    (stripes[stripe] as ScheduledRequest[]).push(request);
  }
  const slotShares = slots === null ? null : sharesOf(slots, count);
  return stripes.map((own, stripe) => ({
    requests: own,
    stopNs: schedule.stopNs,
    slots: slotShares?.[stripe] ?? null,
    hash: schedule.hash,
  }));
}

/** Most stripes that {@link stripesOf} can deal a schedule to, each with something to do. */
export function stripesMax({ requests, slots }: Schedule): number {
  if (slots !== null) return Math.max(1, Math.min(slots, requests.length));
  const groupOf = groups(requests);
  return Math.max(1, new Set(requests.map(({ index }) => groupOf(index))).size);
}

/** A whole number in `count` whole parts that differ by one at most, the larger ones first. */
export function sharesOf(total: number, count: number): number[] {
  return Array.from({ length: count }, (_, each) => Math.floor((total - each - 1) / count) + 1);
}

/** Names the group of a request, by the first place in it: what must not be torn apart. */
function groups(requests: readonly ScheduledRequest[]): (index: number) => number {
  const parents = new Map<number, number>();
  const find = (index: number): number => {
    let root = index;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    for (let at = index; at !== root;) {
      const up = parents.get(at) as number;
      parents.set(at, root);
      at = up;
    }
    return root;
  };
  const join = (a: number, b: number): void => {
    const [first, second] = [find(a), find(b)];
    if (first !== second) parents.set(Math.max(first, second), Math.min(first, second));
  };
  const firstOfSession = new Map<string, number>();
  for (const { index, session, release } of requests) {
    if (release.kind === 'after' && release.index !== null) join(index, release.index);
    if (session === null) continue;
    const first = firstOfSession.get(session);
    if (first === undefined) firstOfSession.set(session, index);
    else join(index, first);
  }
  return find;
}
