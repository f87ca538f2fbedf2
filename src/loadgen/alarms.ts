/** What a load point is to do at instants of its clock, so that nothing rings after its end. */
import type { Clock } from '../base/index.ts';

export class Alarms {
  readonly #clock: Clock;
  readonly #pending = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  at(atNs: number, action: () => void): void {
    const takeDown = this.#clock.at(atNs, () => {
      this.#pending.delete(takeDown);
      action();
    });
    this.#pending.add(takeDown);
  }

  /** Again and again from `atNs` on. Those that came too late are left out: work at the worst moment. */
  every(intervalNs: number, atNs: number, action: (nowNs: number) => void): void {
    this.at(atNs, () => {
      const nowNs = this.#clock.nowNs();
      action(nowNs);
      const missed = Math.floor((nowNs - atNs) / intervalNs);
      this.every(intervalNs, atNs + (1 + missed) * intervalNs, action);
    });
  }

  takeDown(): void {
    for (const takeDown of this.#pending) takeDown();
    this.#pending.clear();
  }
}
