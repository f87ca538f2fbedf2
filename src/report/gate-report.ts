/** A gate's answer for the log, for a step summary and for a CI system's list of tests. */
import type { GateCheck } from '../gate/index.ts';
import { attributes } from './junit-comparison.ts';
import { aligned } from './layout.ts';
import { literal, textTable } from './markdown-text.ts';

export function gateHeadline(checks: readonly GateCheck[]): string {
  const of = (state: GateCheck['state']): number =>
    checks.filter((check) => check.state === state).length;
  if (of('invalid') > 0) return 'INVALID: the measurement cannot be trusted';
  if (of('blocked') > 0) return 'BLOCKED';
  return of('undecided') + of('warned') > 0 ? 'OPEN, with doubts' : 'OPEN';
}

export function terminalGate(checks: readonly GateCheck[]): string {
  const rows = checks.map(({ state, name, reason }) => [state, name, reason]);
  return `${[gateHeadline(checks), ...aligned(rows, 3)].join('\n')}\n`;
}

export function markdownGate(checks: readonly GateCheck[]): string {
  const rows = checks.map(({ name, state, reason }) => [literal(name), state, literal(reason)]);
  return `${[`## Gate: ${gateHeadline(checks)}`, '', ...textTable(['check', 'state', 'reason'], rows)].join('\n')}\n`;
}

/** One test case a check: blocked fails, invalid is an error, undecided is skipped. */
export function junitGate(checks: readonly GateCheck[]): string {
  const element = {
    passed: null,
    warned: null,
    blocked: 'failure',
    invalid: 'error',
    undecided: 'skipped',
  } as const;
  const count = (name: string): number =>
    checks.filter(({ state }) => element[state] === name).length;
  const totals = {
    tests: checks.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  const cases = checks.map(({ name, state, reason }) => {
    const inner = element[state];
    const open = `    <testcase${attributes({ name, classname: 'goodput.gate', time: 0 })}`;
    return inner === null
      ? `${open}/>`
      : `${open}><${inner}${attributes({ message: reason })}/></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(totals)}>`,
    `  <testsuite${attributes({ name: 'goodput gate', ...totals, time: 0 })}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
