/** The log formats by name, and which of them a value is. */
import {
  aiperfFormat,
  guidellmFormat,
  inferencePerfFormat,
  llmperfFormat,
  vllmBenchFormat,
} from './benchmark-results.ts';
import { envoyFormat } from './envoy-ai-gateway.ts';
import { inferencePerfStageFormat } from './inference-perf-stage.ts';
import { kongFormat } from './kong.ts';
import { langfuseFormat } from './langfuse.ts';
import { litellmFormat } from './litellm.ts';
import { llmServingSimFormat } from './llmservingsim-rows.ts';
import type { LogFormat } from './log-format.ts';
import type { LogObject } from './log-values.ts';
import { otlpFormat } from './otlp.ts';
import { sglangFormat } from './sglang.ts';

/** All formats, the most particular first: the first that recognises a value is taken. */
export const LOG_FORMATS: readonly LogFormat[] = [
  otlpFormat,
  aiperfFormat,
  guidellmFormat,
  vllmBenchFormat,
  inferencePerfStageFormat,
  inferencePerfFormat,
  llmperfFormat,
  llmServingSimFormat,
  sglangFormat,
  envoyFormat,
  kongFormat,
  langfuseFormat,
  litellmFormat,
];

/** The format of a log, by its first value; `null` when none knows it. */
export function recogniseLog(value: LogObject): LogFormat | null {
  return LOG_FORMATS.find((format) => format.recognises(value)) ?? null;
}

/** Finds a format by its name. */
export function logFormatNamed(name: string): LogFormat | null {
  return LOG_FORMATS.find((format) => format.name === name) ?? null;
}
