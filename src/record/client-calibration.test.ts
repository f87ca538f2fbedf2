import { expect, it } from 'vitest';
import { calibrationOf } from '../../test/support/calibration-builder.ts';
import { misfitsOf } from './client-calibration.ts';

const client = calibrationOf();
const run = { tool: client.tool, host: client.host, transport: client.transport };

it('fits a run of the same machine, Node, transport and version', () => {
  expect(misfitsOf(client, run)).toEqual([]);
});

it('fits no other', () => {
  const { tool, host, transport } = run;
  expect(misfitsOf(client, { ...run, host: { ...host, cpus: 4 } })).toEqual(['machine']);
  expect(misfitsOf(client, { ...run, host: { ...host, os: 'linux 6.2' } })).toEqual(['machine']);
  expect(misfitsOf(client, { ...run, host: { ...host, memoryBytes: 1 } })).toEqual(['machine']);
  expect(misfitsOf(client, { ...run, tool: { ...tool, node: 'v24.0.0' } })).toEqual(['node']);
  expect(misfitsOf(client, { ...run, tool: { ...tool, version: '9' } })).toEqual(['version']);
  for (const other of [{ name: 'compat' as const }, { tls: true }, { http2: true }]) {
    expect(misfitsOf(client, { ...run, transport: { ...transport, ...other } })).toEqual([
      'transport',
    ]);
  }
});
