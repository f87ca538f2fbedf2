/** What the file system refused, said so that a user can put it right. */
import { EnvironmentError, printable } from '../base/index.ts';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'that is a folder: name a file in it',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full: free some space or choose another folder with --out',
  EDQUOT: 'the disk quota is used up: free some space or choose another folder with --out',
  EACCES: 'no permission: choose a folder you may use',
  EPERM: 'no permission: choose a folder you may use',
  EROFS: 'the file system is read-only: choose another folder with --out',
  EMFILE: 'too many open files: raise the limit with ulimit -n',
};

/** The system's machine word for a failure, e.g. `ENOENT`; `null` for other errors. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

export function writeFailure(path: string, cause: unknown): EnvironmentError {
  return fileFailure('E_FILE_WRITE', 'write', path, cause);
}

export function readFailure(path: string, cause: unknown): EnvironmentError {
  return fileFailure('E_FILE_READ', 'read', path, cause);
}

function fileFailure(
  code: 'E_FILE_WRITE' | 'E_FILE_READ',
  verb: string,
  path: string,
  cause: unknown,
): EnvironmentError {
  const reason = systemCode(cause) ?? (cause instanceof Error ? cause.message : 'unknown reason');
  const hint = HINTS[reason];
  return new EnvironmentError({
    code,
    message: `cannot ${verb} ${printable(path)}: ${reason}`,
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}
