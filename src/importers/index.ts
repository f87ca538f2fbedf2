/**
 * `importers`: foreign files → workload entries, records or model shapes, one file per format. Text
 * in; values with notes out, or every problem of the file at its line and column. Start with
 * `import-result.ts`. Pure: files are read elsewhere.
 */
export * from './azure-trace.ts';
export * from './bailian-trace.ts';
export * from './bodies-file.ts';
export { parseDeviceSheet } from './device-sheet.ts';
export * from './fit-file.ts';
export * from './hugging-face-config.ts';
export * from './import-result.ts';
export * from './import-sessions.ts';
export type { ImportedTrace, TraceOptions } from './import-trace.ts';
export * from './kv-cache-trace.ts';
export * from './length-file.ts';
export * from './llmservingsim-log.ts';
export * from './mooncake-trace.ts';
export * from './prompt-file.ts';
export * from './session-trace.ts';
export * from './sharegpt.ts';
export * from './step-cost-file.ts';
export { LOG_FORMATS, logFormatNamed, recogniseLog } from './logs/log-formats.ts';
export type { FieldOrigin, LogFormat } from './logs/log-format.ts';
export * from './logs/log-import.ts';
export { isObject, type LogObject } from './logs/log-values.ts';
export { serverSpansOf } from './logs/server-spans.ts';
export { mappedFormat } from './logs/mapped-log.ts';
