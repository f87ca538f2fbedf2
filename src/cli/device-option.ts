/** `--device`: the name of a data sheet that ships, or `@` and a file. */
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import { DEVICE_SHEETS, type DeviceSheet } from '../engine/index.ts';
import { parseDeviceSheet } from '../importers/index.ts';
import { readTextFile } from './files.ts';
import { imported } from './measured-runs.ts';

/** Names of the sheets that ship, for a help line. */
export const DEVICE_NAMES = Object.keys(DEVICE_SHEETS).join(', ');

/** Errors: ProblemsError for an unknown name or a broken sheet. */
export function readDevice(text: string): DeviceSheet {
  if (text.startsWith('@')) {
    const file = text.slice(1);
    return imported(parseDeviceSheet(readTextFile(file), { file }));
  }
  const sheet = Object.hasOwn(DEVICE_SHEETS, text) ? DEVICE_SHEETS[text] : undefined;
  if (sheet !== undefined) return sheet;
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_VALUE',
      `--device ${printable(text)} is not known`,
      `known are ${DEVICE_NAMES}; @FILE reads a data sheet in YAML`,
    ),
  ]);
}
