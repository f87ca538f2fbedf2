import { describe, expect, it } from 'vitest';
import type { ServerPoint } from '../telemetry/index.ts';
import { CHAT, SINGLE, STEADY } from '../../test/support/sample-summaries.ts';
import { markdownReport } from './markdown-report.ts';
import { serverView } from './server-view.ts';
import { terminalReport } from './terminal-report.ts';
import { manifestOf } from '../../test/support/manifest-builder.ts';
import type { PointSummary } from '../summary/index.ts';

const POINT = SINGLE.points[0] as PointSummary;
const { completed } = POINT.ledger;

const ENDPOINT: ServerPoint['endpoints'][number] = {
  url: 'http://10.0.0.1:8000/metrics',
  engine: 'vLLM',
  scrapes: 12,
  failures: 0,
  lastFailure: null,
  window: { fromNs: 1e9, toNs: 61e9 },
  fallCount: 0,
};

function serverOf(more: Partial<ServerPoint> = {}): ServerPoint {
  return {
    pointIndex: 0,
    endpoints: [ENDPOINT],
    gauges: { waiting: { mean: 1.5, max: 9, looks: 10 } },
    counters: { finishedRequests: completed, cacheQueryTokens: 200, cachedTokens: 50 },
    histograms: {
      ttft: { buckets: [{ upperSeconds: 0.25, atMost: 90 }], sumSeconds: 10, count: 100 },
    },
    caveats: [],
    ...more,
  };
}

const viewOf = (server: ServerPoint, point = POINT) => serverView([server], point, CHAT);
const rowOf = (server: ServerPoint, name: string) =>
  viewOf(server)?.rows.find(([measure]) => measure === name);
const notesOf = (server: ServerPoint, point = POINT) => viewOf(server, point)?.notes.join('\n');

describe('serverView', () => {
  it('gives means their difference, and quantiles no more than the edges of their bucket', () => {
    const [, servers, client, difference] = rowOf(serverOf(), 'TTFT mean') ?? [];
    const clientMs = (POINT.ttftFromDispatchNs.mean as number) / 1e6;
    expect([servers, Number.parseFloat(client ?? '')]).toEqual(['100 ms', Math.round(clientMs)]);
    expect(Number.parseFloat(difference ?? '')).toBeCloseTo(clientMs - 100, 0);
    expect(rowOf(serverOf(), 'TTFT p50')?.[1]).toBe('0 ms to 250 ms');
    expect(rowOf(serverOf(), 'TTFT p95')?.[1]).toBe('over 250 ms');
    expect(rowOf(serverOf(), 'TTFT p95')?.[3]).toMatch(/^below /);
    expect(rowOf(serverOf(), 'prompt tokens cached')?.[1]).toBe('25.0 %');
    expect(rowOf(serverOf(), 'waiting')?.[1]).toBe('1.50, max 9.00');
  });

  it('says how drafts fared, by counters where there are, else by the engine’s own means', () => {
    const counters = { drafts: 100, draftTokens: 300, acceptedDraftTokens: 180 };
    const counted = serverOf({ counters });
    expect(rowOf(counted, 'draft tokens accepted')?.[1]).toBe('60.0 %');
    expect(rowOf(counted, 'tokens a draft step')?.[1]).toBe('2.80');
    const told = serverOf({
      counters: {},
      gauges: {
        draftAcceptedShare: { mean: 0.6, max: 0.7, looks: 3 },
        tokensPerDraft: { mean: 2.8, max: 3.2, looks: 3 },
      },
    });
    expect(rowOf(told, 'draft tokens accepted')?.[1]).toBe('60.0 %');
    expect(rowOf(told, 'tokens a draft step')?.[1]).toBe('2.80');
    expect(rowOf(serverOf(), 'draft tokens accepted')).toBeUndefined();
  });

  it('shows no row and no bound of what servers do not say', () => {
    expect(rowOf(serverOf(), 'prefill mean')).toBeUndefined();
    expect(notesOf(serverOf())).toContain('not even bounds');
    expect(serverView([], POINT, CHAT)).toBeNull();
  });

  it('bounds the joint share where both histograms exist', () => {
    const { ttft } = serverOf().histograms;
    const tpot = { buckets: [{ upperSeconds: 0.02, atMost: 80 }], sumSeconds: null, count: 100 };
    const both = serverOf({ histograms: { ...(ttft === undefined ? {} : { ttft }), tpot } });
    // 500 ms lies above the last edge, 28 ms too: what is beyond them may or may not be within.
    expect(notesOf(both)).toContain('70.0–100.0 % of the 100 requests');
  });

  it.each([
    [{ counters: { finishedRequests: completed / 2 } }, /some servers were not looked at/],
    [{ counters: { finishedRequests: completed * 2 } }, /other traffic/],
    [{ endpoints: [{ ...ENDPOINT, fallCount: 5 }] }, /went back 5 times/],
    [{ endpoints: [{ ...ENDPOINT, fallCount: 1 }] }, /taken for a restart/],
    [{ endpoints: [{ ...ENDPOINT, failures: 3, lastFailure: 'timeout' }] }, /3 of 12 looks/],
    [{ endpoints: [ENDPOINT, { ...ENDPOINT, engine: 'Dynamo' }] }, /counted twice/],
  ])('says what speaks against the figures: %#', (more, note) => {
    expect(notesOf(serverOf())).not.toMatch(note);
    expect(notesOf(serverOf(more as Partial<ServerPoint>))).toMatch(note);
  });

  it('says that requests which did not complete are in no time of the servers', () => {
    const { failed } = POINT.ledger;
    expect(failed).toBeGreaterThan(0);
    expect(notesOf(serverOf())).toContain(`${failed} requests of this client did not complete`);
    const ledger = { ...POINT.ledger, failed: 0 };
    expect(notesOf(serverOf(), { ...POINT, ledger })).not.toContain('did not complete');
  });

  it('says that the servers do not leave a declared warm-up out', () => {
    expect(notesOf(serverOf(), STEADY.points[0])).toContain('have the warm-up in them');
  });

  it('stands in both reports, where hostile names stay text', () => {
    const url = 'http://10.0.0.1/<b>\u001b[31m';
    const servers = [serverOf({ endpoints: [{ ...ENDPOINT, url }] })];
    const page = { width: 100, color: false, explain: true, files: [], servers };
    const texts = [terminalReport(SINGLE, page), markdownReport(SINGLE, manifestOf(), servers)];
    for (const text of texts) {
      expect(text).toContain('client − servers');
      expect(text).not.toContain('\u001b');
    }
    expect(texts[1]).not.toContain('<b>');
    expect(terminalReport(SINGLE, { ...page, explain: false })).not.toContain('client − servers');
  });
});
