/** Requests with a known planned instant, earliest first. */
import type { ScheduledRequest } from '../workload/index.ts';

/** A request whose release condition comes true at `plannedNs`. */
export interface Due {
  readonly request: ScheduledRequest;
  readonly plannedNs: number;
}

/** A binary heap: by planned instant, then by place in the schedule. */
export class DueQueue<Item extends Due = Due> {
  readonly #heap: Item[] = [];

  get length(): number {
    return this.#heap.length;
  }

  peek(): Item | null {
    return this.#heap[0] ?? null;
  }

  push(due: Item): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Item;
      if (!isBefore(due, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = due;
  }

  pop(): Item | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= heap.length) break;
      const right = heap[childAt + 1];
      if (right !== undefined && isBefore(right, heap[childAt] as Item)) childAt += 1;
      const child = heap[childAt] as Item;
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return (
    a.plannedNs < b.plannedNs || (a.plannedNs === b.plannedNs && a.request.index < b.request.index)
  );
}
