/**
 * How near the simulator comes to real servers: LLMServingSim's four vLLM runs, with factors fitted
 * to each, with those of the first carried over to the others, and with generic ones; beside them
 * what LLMServingSim itself gave.
 */
import { readFileSync } from 'node:fs';
import {
  calibrated,
  type FactorFit,
  fitRoofline,
  jointAttainment,
  measureFigures,
  type ObservedRequest,
  replayRun,
  residualErrors,
} from '../src/calibration/index.ts';
import { GENERIC_FACTORS, type ResidualError } from '../src/engine/index.ts';
import { readVllmRun, VLLM_RUN_DATA, VLLM_RUNS, type VllmRun } from '../test/support/vllm-runs.ts';
import { printTable, printTitle, type Row } from './support/report.ts';

const LIMITS = { ttftNs: 1e9, tpotNs: 40e6 };

printTitle('Step cost against real servers', [
  '300 ShareGPT requests at 10/s on vLLM 0.19, far past what the servers carry. Errors are ' +
    '(simulated − real) / real of the mean and of the 99th percentile; joint = share of requests ' +
    'with TTFT ≤ 1 s and TPOT ≤ 40 ms. The link of the two devices is the 16 GB/s that LLMServingSim ' +
    'sets for it, not the data sheet’s. A request arrives when the front end takes it; LLMServingSim’s ' +
    'errors are as published, with TTFT counted from when the engine notes a request.',
]);
if (VLLM_RUN_DATA === null) throw new Error('the published runs are not beside this checkout');

const rows: Row[] = [];
let first: FactorFit | null = null;
for (const name of VLLM_RUNS) {
  const run = readVllmRun(name);
  const { served, fit: options } = run;
  const measured = served.observed.requests;
  const figures = measureFigures(measured).map(
    ({ meanNs, p99Ns }) => `${(meanNs / 1e6).toFixed(1)} / ${(p99Ns / 1e6).toFixed(1)} ms`,
  );
  rows.push([name, 'real', ...figures, jointText(measured), '–']);
  const started = Date.now();
  const fit = fitRoofline([served], options);
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  rows.push(modelRow(name, `fitted in ${seconds} s`, run, fit));
  if (first !== null) {
    rows.push(modelRow(name, 'transferred', run, calibrated([served], options, first.factors)));
  }
  rows.push(modelRow(name, 'generic', run, calibrated([served], options, GENERIC_FACTORS)));
  const upstream = upstreamRequests(run);
  const published = readVllmRun(name, 'engine').served.observed.requests;
  const errors = residualErrors(published, upstream).map(errorText);
  rows.push([name, 'LLMServingSim', ...errors, jointText(upstream), '–']);
  first ??= fit;
}
printTable(['run', 'by', 'TTFT', 'TPOT', 'E2E', 'joint', 'factors'], rows);

function modelRow(name: string, label: string, run: VllmRun, fit: Omit<FactorFit, 'fitted'>): Row {
  const simulated = replayRun(run.served.observed, run.served.setup, fit.costModel).requests;
  const { factors } = fit;
  const factorText = [
    `bandwidth ${factors.bandwidthShare.toFixed(2)}`,
    `compute ${factors.computeShare.toFixed(2)}`,
    `step ${(factors.stepOverheadSeconds * 1e3).toFixed(2)} ms`,
    `request ${(factors.sequenceOverheadSeconds * 1e6).toFixed(1)} µs`,
    `exchange ${(factors.exchangeSeconds * 1e6).toFixed(1)} µs`,
    `link ${factors.linkShare.toFixed(2)}`,
  ].join(', ');
  const errors = (fit.runs[0]?.residuals ?? []).map(errorText);
  return [name, label, ...errors, jointText(simulated), factorText];
}

function errorText({ meanShare, p99Share }: ResidualError): string {
  const percent = (share: number): string =>
    `${share < 0 ? '−' : '+'}${(Math.abs(share) * 100).toFixed(1)} %`;
  return `${percent(meanShare)} / ${percent(p99Share)}`;
}

function jointText(requests: readonly ObservedRequest[]): string {
  return `${(jointAttainment(requests, LIMITS) * 100).toFixed(1)} %`;
}

/** LLMServingSim's answer: nanoseconds, one line a request. */
function upstreamRequests({ name }: VllmRun): ObservedRequest[] {
  const [head, ...lines] = readFileSync(`${VLLM_RUN_DATA}/${name}/sim.no-itl.csv`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const column = (line: readonly string[], title: string): number =>
    Number(line[head?.indexOf(title) ?? -1]);
  return lines.map((line) => {
    const atNs = column(line, 'arrival');
    return {
      atNs,
      promptTokens: column(line, 'input'),
      outputTokens: column(line, 'output'),
      firstNs: atNs + column(line, 'TTFT'),
      lastNs: column(line, 'end_time'),
    };
  });
}
