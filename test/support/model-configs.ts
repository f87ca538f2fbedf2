/** Configs of well-known models, the keys that decide a shape copied by hand. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ModelShape } from '../../src/engine/index.ts';
import { parseModelConfig } from '../../src/importers/index.ts';

/** The text of `test/fixtures/model-configs/NAME.json`. */
export function modelConfigText(name: string): string {
  const url = new URL(`../fixtures/model-configs/${name}.json`, import.meta.url);
  return readFileSync(fileURLToPath(url), 'utf8');
}

export function modelShape(name: string): ModelShape {
  const read = parseModelConfig(modelConfigText(name), { file: `${name}.json` });
  if (read.kind === 'problems') throw new Error(JSON.stringify(read.problems));
  return read.value;
}
