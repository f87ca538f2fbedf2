/**
 * `faults`: what can go wrong with a server's answers, and the rules that say when. `fault.ts` lists
 * the faults, `fault-script.ts` the rules, `fault-draw.ts` deals them out. The emulator carries them
 * out; `config` reads them from a file.
 */
export * from './fault.ts';
export * from './fault-draw.ts';
export * from './fault-script.ts';
