import { describe, expect, it } from 'vitest';
import { type FlagValues, parseRunSpec, runSpecFromFlags, runSpecYaml } from './index.ts';

const NOTHING = { env: {}, readFile: () => '' };

function fromFlags(flags: FlagValues) {
  return runSpecFromFlags({ url: 'http://127.0.0.1:8000', rate: '1', ...flags }, NOTHING);
}

describe('metrics', () => {
  it('is off unless asked for, and then the file is as it was', () => {
    const parsed = fromFlags({});
    expect(parsed).toMatchObject({ spec: { metrics: { endpoints: [] } } });
    if ('spec' in parsed) expect(runSpecYaml(parsed.spec)).not.toContain('metrics');
  });

  it('takes several addresses, each once more on the command line, and reads back the same', () => {
    const parsed = fromFlags({
      metrics: ['auto', 'http://10.0.0.1:9000', 'http://10.0.0.2:9000/prometheus/metrics'],
      metricsEvery: '2s',
    });
    expect(parsed).toMatchObject({
      spec: {
        metrics: {
          endpoints: [
            'auto',
            'http://10.0.0.1:9000/metrics',
            'http://10.0.0.2:9000/prometheus/metrics',
          ],
          everyNs: 2_000_000_000,
        },
      },
    });
    if (!('spec' in parsed)) return;
    const again = parseRunSpec(runSpecYaml(parsed.spec), { ...NOTHING, file: 'run.yaml' });
    expect(again).toMatchObject({ spec: { metrics: parsed.spec.metrics } });
  });

  it('stand beside traces of a share of the requests, which none have unless asked for', () => {
    const parsed = fromFlags({ traceShare: '1%' });
    expect(parsed).toMatchObject({ spec: { traceShare: 0.01 } });
    if (!('spec' in parsed)) return;
    const again = parseRunSpec(runSpecYaml(parsed.spec), { ...NOTHING, file: 'run.yaml' });
    expect(again).toMatchObject({ spec: { traceShare: 0.01 } });
    expect(fromFlags({})).toMatchObject({ spec: { traceShare: 0 } });
    expect(fromFlags({ traceShare: '2' })).toHaveProperty('problems');
  });

  it.each([
    ['localhost:8000', 'http'],
    ['http://user:pass@10.0.0.1/metrics', 'credential'],
    ['http://10.0.0.1/metrics?api_key=abc', 'credential'],
    ['aut', 'URL'],
  ])('refuses %s without repeating a secret', (address, word) => {
    const parsed = fromFlags({ metrics: [address] });
    const text = JSON.stringify('problems' in parsed ? parsed.problems : null);
    expect(text).toContain(word);
    expect(text).not.toMatch(/user:pass|abc/);
  });
});
