/** A browser for page tests, where this machine has one. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = [process.env['CHROMIUM_PATH'], ...PATHS].find(
  (path) => path !== undefined && existsSync(path),
);

/** Why page tests are skipped; `null` when they can run. */
export const noBrowser: string | null =
  found === undefined ? 'no Chromium (apt-get install chromium, or set CHROMIUM_PATH)' : null;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: found ?? '', args: ['--no-sandbox'] });
}
