/**
 * A process that does nothing but write a run, for `store.test.ts` to kill or to starve.
 * Arguments: folder, milliseconds between records, output events per record. Prints the number of
 * records handed to the store after each; ends with `failed CODE hint` when the store fails.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../src/base/index.ts';
import { createRunFolder } from '../../src/store/index.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { recordOf } from '../support/record-builder.ts';

const [dir = '', pauseMs, events] = process.argv.slice(2);
const arrivalsNs = Array.from({ length: Number(events) }, (_, index) => index * 1_000_000);

const run = await createRunFolder(dir, { force: false });
await run.writeManifest(manifestOf());
try {
  for (let scheduleIndex = 0; ; scheduleIndex += 1) {
    await run.appendRecord(recordOf({ scheduleIndex, arrivalsNs }));
    writeSync(1, `${scheduleIndex + 1}\n`);
    await sleep(Number(pauseMs));
  }
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  writeSync(1, `failed ${error.code} ${error.message}\n`);
}
