/**
 * Every stable error code, once. `docs/errors.md` documents each; a test checks both ways.
 * Codes never change their meaning; a retired code is never reused.
 */
export const ERROR_CODES = [
  // Command line and config files (exit code 2).
  'E_USAGE_UNKNOWN_OPTION',
  'E_USAGE_MISSING',
  'E_USAGE_CONFLICT',
  'E_USAGE_VALUE',
  'E_CONFIG_SYNTAX',
  'E_CONFIG_UNKNOWN_KEY',
  'E_CONFIG_MISSING_KEY',
  'E_CONFIG_VALUE',
  'E_CONFIG_CONFLICT',
  'E_CONFIG_ENV',
  'E_OBJECTIVE_SYNTAX',
  'E_OBJECTIVE_VALUE',
  'E_BUDGET_REQUIRED',
  'E_BUDGET_IMPOSSIBLE',
  'E_MODEL_MISSING',
  'E_UNSUPPORTED',
  'E_TRACE_ROW',
  'E_TRACE_FORMAT',
  'E_PROMPTS_FORMAT',
  'E_RECORD_FORMAT',
  'E_RUN_FORMAT',
  'E_LOG_FORMAT',
  'E_CALIBRATION_FORMAT',
  // The outside world (exit code 5).
  'E_FILE_READ',
  'E_FILE_WRITE',
  'E_PORT_IN_USE',
  'E_TARGET_UNREACHABLE',
  'E_TARGET_REFUSED',
  'E_NODE_VERSION',
  'E_DESCRIPTOR_LIMIT',
  'E_PORT_LIMIT',
  'E_MEMORY_LIMIT',
  'E_GENERATOR_LIMIT',
  'E_GENERATOR_LOST',
  'E_COMMAND_FAILED',
  'E_DUCKDB_MISSING',
  'E_TOKENIZER_MISSING',
  'E_SQL',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Process exit codes, in the order of precedence when several apply (docs/errors.md).
 * "The service missed its objective" (3) and "this measurement cannot be trusted" (4) are never
 * the same number.
 */
export const EXIT_CODES = {
  interrupted: 130,
  internal: 1,
  environment: 5,
  usage: 2,
  invalidRun: 4,
  objectiveMissed: 3,
  notProven: 6,
  fine: 0,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
