import { NS_PER_MS, type Clock } from '../base/index.ts';

/** A token that has been made and has not left. */
interface PendingToken<Token> {
  readonly token: Token;
  readonly atNs: number;
}

/**
 * Lets the tokens of a step leave one after another until the next step ends, as those of many
 * servers that know nothing of one another do. Always in the order in which they were made; in slots
 * of a millisecond, because so many alarms would be a load of their own.
 */
export class TokenSpread<Token> {
  readonly #clock: Clock;
  readonly #deliver: (token: Token, dueNs: number) => void;
  #pending: PendingToken<Token>[] = [];
  #cancelAlarm: (() => void) | null = null;

  constructor(clock: Clock, deliver: (token: Token, dueNs: number) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  /** Takes what was made at `fromNs`; the last of it leaves just before `overNs` have passed. */
  add(tokens: readonly Token[], fromNs: number, overNs: number): void {
    const slots = Math.max(1, Math.floor(overNs / NS_PER_MS));
    for (const [index, token] of tokens.entries()) {
      const slot = Math.floor((index * slots) / tokens.length);
      this.#pending.push({ token, atNs: fromNs + slot * NS_PER_MS });
    }
    this.#arm();
  }

  /** Forgets what has not left. */
  stop(): void {
    this.#cancelAlarm?.();
    this.#pending = [];
  }

  #arm(): void {
    const [first] = this.#pending;
    if (first === undefined || this.#cancelAlarm !== null) return;
    this.#cancelAlarm = this.#clock.at(first.atNs, () => {
      this.#cancelAlarm = null;
      this.#release();
      this.#arm();
    });
  }

  #release(): void {
    const nowNs = this.#clock.nowNs();
    const later = this.#pending.findIndex(({ atNs }) => atNs > nowNs);
    const due = this.#pending.splice(0, later === -1 ? this.#pending.length : later);
    for (const { token, atNs } of due) this.#deliver(token, atNs);
  }
}
