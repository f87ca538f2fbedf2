import { describe, expect, it } from 'vitest';
import { EnvironmentError, EXIT_CODES } from '../base/index.ts';
import { describeFailure } from './failure.ts';

describe('a failure of the outside world', () => {
  const failed = (message: string, cause?: Error): EnvironmentError =>
    new EnvironmentError({ code: 'E_FILE_READ', message, cause });

  it('tells its reason once', () => {
    const full = describeFailure(failed('cannot read a.csv', new Error('disk on fire')));
    expect(full.text).toBe('cannot read a.csv (disk on fire) [E_FILE_READ]\n');
    expect(full.exitCode).toBe(EXIT_CODES.environment);
    const told = failed('cannot read a.csv: disk on fire (EIO)', new Error('disk on fire'));
    expect(describeFailure(told).text).toBe(
      'cannot read a.csv: disk on fire (EIO) [E_FILE_READ]\n',
    );
    const missing = Object.assign(new Error('ENOENT: no such file, open a.csv'), {
      code: 'ENOENT',
    });
    expect(describeFailure(failed('cannot read a.csv: ENOENT', missing)).text).toBe(
      'cannot read a.csv: ENOENT [E_FILE_READ]\n',
    );
    expect(describeFailure(failed('no disk')).text).toBe('no disk [E_FILE_READ]\n');
  });

  it('shows nothing of a reason that a terminal would obey', () => {
    const { text } = describeFailure(failed('cannot read', new Error('\u001B[2Jgone')));
    expect(text).not.toContain('\u001B');
    expect(text).toContain('gone');
  });
});
