/**
 * `faults`: what can go wrong with a server's answers, and the rules that say when. `fault.ts` lists
 * the faults, `fault-script.ts` the rules, `fault-draw.ts` deals them out. The emulator carries them
 * out; `config` reads them from a file.
 */
export * from './fault.ts';
export * from './fault-draw.ts';
export {
  ANY_REQUEST,
  assertScript,
  faultShare,
  joinScripts,
  NO_FAULTS,
  restartsOverlap,
  stepFactorAt,
  type FaultMatch,
  type FaultPick,
  type FaultRule,
  type FaultScript,
  type FaultWindow,
} from './fault-script.ts';
