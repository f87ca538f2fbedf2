import { createRequire } from 'node:module';

/** The package's version, from the one place that has it. */
export const TOOL_VERSION: string = (
  createRequire(import.meta.url)('../../package.json') as { readonly version: string }
).version;
