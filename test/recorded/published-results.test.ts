/** What published data sets say wrongly of themselves, found without being told where to look. */
import { describe, expect, it } from 'vitest';
import { readLog } from '../../src/cli/read-log.ts';
import type { ImportReport } from '../../src/importers/index.ts';
import { LogTally, windowTable } from '../../src/logs/index.ts';
import { objectiveOf } from '../support/summary-builder.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

const TRACES = sharedData('traces');
const ALL_TIME = { windowUs: null, keys: [] };

async function judged(file: string, slo: string) {
  const objective = objectiveOf(slo);
  const tally = new LogTally(objective, ALL_TIME);
  const report = await readLog(
    `${TRACES}/${file}`,
    { format: null, rejects: null, windowed: true },
    (record, at) => tally.add(record, at),
  );
  return { report, total: windowTable(tally.counts(), objective, ALL_TIME).total };
}

/** Share of the rows that show a fault, of those that could. */
function faultShare({ findings }: ImportReport, fault: string): number {
  const found = findings.find((finding) => finding.fault === fault);
  return found === undefined ? 0 : found.rows / found.checked;
}

describe.skipIf(TRACES === null)(`published results (else: ${NO_SHARED_DATA})`, () => {
  it('LLMServingSim: 259 of 300 pass TTFT, 36 pass TPOT, 1 passes both', async () => {
    const { total } = await judged(
      'llmservingsim-vllm/rtxpro6000-dp2ep2-qwen3-30b-a3b/requests.jsonl',
      'ttft<=1s, tpot<=40ms, attainment>=95%',
    );
    expect([total.ttft.within, total.tpot.within, total.attainment.good]).toEqual([259, 36, 1]);
    expect(total.attainment.offered).toBe(300);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'inference-perf, stage %i: TPOT is half of what it is',
    async (stage) => {
      const { report } = await judged(
        `inference-perf-kubecon2025/vllm/stage_${stage}_lifecycle_metrics.json`,
        'tpot<=40ms',
      );
      expect(report.findings).toHaveLength(1);
      expect(report.findings[0]?.fault).toBe('tpotHalf');
      expect(report.findings[0]?.ratioMean).toBeGreaterThan(0.45);
      expect(report.findings[0]?.ratioMean).toBeLessThan(0.52);
    },
  );

  it.each([
    ['groq', 1],
    ['together', 0.98],
    ['fireworks', 0.85],
    ['bedrock', 1],
  ])(
    'LLMPerf, %s: its inter-token latency holds the wait for the first token',
    async (name, share) => {
      const { report } = await judged(
        `llmperf-leaderboard/individual/${name}_70b.jsonl`,
        'tpot<=40ms',
      );
      expect(faultShare(report, 'tpotIncludesTtft')).toBeGreaterThanOrEqual(share);
    },
  );

  it.each([1, 2, 4])(
    'AIPerf at concurrency %i: fits itself, so nothing is found',
    async (level) => {
      const { report } = await judged(
        `aiperf-vllm/qwen_concurrency${level}/profile_export.jsonl`,
        'gap<=60ms',
      );
      expect(report).toMatchObject({ requests: 10, rejected: 0, findings: [] });
    },
  );
});
