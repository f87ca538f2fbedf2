/** The length of an alert's window as people read it. */
import { durationText } from '../base/index.ts';
import { MINUTE_NS } from './burn-alert.ts';

/** `5m`, `1h`, `16h48m`, `3d`: never 1008 minutes. Whole minutes, as windows are. */
export function windowText(ns: number): string {
  const minutes = ns / MINUTE_NS;
  const rest = minutes % 60;
  if (minutes < 60 || rest === 0) return durationText(ns);
  return `${Math.floor(minutes / 60)}h${rest}m`;
}
