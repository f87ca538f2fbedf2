/** An emulator in a process of its own that tells what it costs. */
import {
  type Emulator,
  type EmulatorLateness,
  type EmulatorOptions,
  type EmulatorStats,
  startEmulator,
} from '../../src/emulator/index.ts';
import { monotonicNs } from '../../src/host/index.ts';
import { answerParent } from './worker-process.ts';

export type EmulatorQuestion =
  | { readonly kind: 'start'; readonly options: Partial<EmulatorOptions> }
  | { readonly kind: 'sample' };

export interface EmulatorSample {
  readonly port: number;
  readonly atNs: number;
  readonly cpuUs: number;
  readonly stats: EmulatorStats;
  readonly lateness: EmulatorLateness;
}

let emulator: Emulator | null = null;

answerParent(async (question: EmulatorQuestion): Promise<EmulatorSample> => {
  if (question.kind === 'start') emulator = await startEmulator(question.options);
  if (emulator === null) throw new Error('the emulator was not started');
  const { user, system } = process.cpuUsage();
  return {
    port: emulator.port,
    atNs: monotonicNs(),
    cpuUs: user + system,
    stats: emulator.stats(),
    lateness: emulator.lateness(),
  };
});
