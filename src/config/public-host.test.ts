import { describe, expect, test } from 'vitest';
import { isPublicHost } from './public-host.ts';

describe('isPublicHost', () => {
  test.each([
    'http://127.0.0.1:8000',
    'http://127.9.9.9',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0.0.0.0:80',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://169.254.169.254',
    'http://100.64.0.1',
    'http://100.127.255.255',
    'http://[::1]:8000',
    'http://[::]',
    'http://[fe80::1]',
    'http://[febf::1]',
    'http://[fd12:3456::1]',
    'http://[::ffff:192.168.0.1]',
    'http://localhost:8000',
    'http://LOCALHOST.',
    'http://api.localhost',
    'http://printer.local',
    'http://vllm.default.svc.cluster.local:8000',
    'http://gpu-box:8000',
  ])('%s is not public', (url) => {
    expect(isPublicHost(url)).toBe(false);
  });

  test.each([
    'https://api.example.com/v1',
    'http://8.8.8.8',
    'http://172.15.255.255',
    'http://172.32.0.0',
    'http://192.169.0.1',
    'http://169.253.0.1',
    'http://100.63.255.255',
    'http://100.128.0.0',
    'http://[2001:db8::1]',
    'http://[fec0::1]',
    'http://[::ffff:8.8.8.8]',
    'http://[::2]',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
  ])('%s is public', (url) => {
    expect(isPublicHost(url)).toBe(true);
  });
});
