import { NS_PER_MS, type Clock } from '../base/index.ts';

/** The last stretch before an instant, waited out turn by turn of the event loop. */
const CLOSE_MS = 1;

/**
 * The machine's monotonic clock (`process.hrtime`), the same for all processes of a machine, with
 * alarms within microseconds of their instant while the event loop is free. Timers know whole
 * milliseconds only, so an alarm sleeps until 1 to 2 ms before its instant and then lets the event
 * loop turn: sockets are served meanwhile, and one core is busy, so keep no alarm without need.
 */
export function createPreciseClock(): Clock {
  const nowNs = (): number => Number(process.hrtime.bigint());
  return {
    nowNs,
    at(atNs, action) {
      let timer: NodeJS.Timeout | undefined;
      let turn: NodeJS.Immediate | undefined;
      const arm = (): void => {
        const sleepMs = Math.floor((atNs - nowNs()) / NS_PER_MS - CLOSE_MS);
        if (sleepMs >= 1) timer = setTimeout(arm, sleepMs);
        else turn = setImmediate(wake);
      };
      const wake = (): void => {
        if (nowNs() >= atNs) action();
        else arm();
      };
      arm();
      return () => {
        clearTimeout(timer);
        clearImmediate(turn);
      };
    },
  };
}

/** The same clock with alarms as late as timers are, 1 ms and more, for no processor time. */
export function createCoarseClock(): Clock {
  const nowNs = (): number => Number(process.hrtime.bigint());
  return {
    nowNs,
    at(atNs, action) {
      let timer: NodeJS.Timeout | undefined;
      const arm = (): void => {
        timer = setTimeout(wake, Math.max(0, Math.ceil((atNs - nowNs()) / NS_PER_MS)));
      };
      // Timers count whole milliseconds, so one may ring early.
      const wake = (): void => {
        if (nowNs() >= atNs) action();
        else arm();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
