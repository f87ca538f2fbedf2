/**
 * What wakes the generator for the next arrival. A {@link Clock} is one already; a more exact one
 * (`precisePacer` in the `host` room) trades processor time for less lateness.
 */
import type { Clock } from '../base/index.ts';

/**
 * Calls `action` once, at `atNs` or as soon after it as this pacer can, never before.
 * Returns a function that cancels the call.
 */
export type Pacer = Pick<Clock, 'at'>;
