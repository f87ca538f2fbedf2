/** The records of a run folder → its summary: after a run, and whenever it is judged again. */
import type { RequestRecord, Manifest } from '../record/index.ts';
import { createSummariser, type Summary, type SummaryOptions } from '../summary/index.ts';

/** What of a stored run the summary is made from. */
export interface StoredRun {
  readonly manifest: Manifest;
  records(): AsyncIterable<RequestRecord>;
}

/** Reads every record once; memory holds a few numbers per request. */
export async function summariseRun(
  run: StoredRun,
  options: Pick<SummaryOptions, 'objective' | 'correctness' | 'toolVersion'>,
): Promise<Summary> {
  const summariser = createSummariser(summaryOptions(run.manifest, options));
  for await (const record of run.records()) summariser.add(record);
  return summariser.finish();
}

/** What a summary needs to know of a run beyond its records, from its manifest. */
export function summaryOptions(
  manifest: Manifest,
  options: Pick<SummaryOptions, 'objective' | 'correctness' | 'toolVersion'>,
): SummaryOptions {
  return {
    ...options,
    experimentHash: manifest.experimentHash,
    source: manifest.source,
    clock: manifest.clock,
    prefixCache: manifest.prefixCache,
    exactOutput: manifest.counting.exactOutput,
    calibration: manifest.calibration,
    points: manifest.points,
  };
}
