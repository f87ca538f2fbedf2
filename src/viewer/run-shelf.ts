/** Where the viewer's runs come from: whoever starts it knows about folders. */
import type { Manifest, RequestRecord } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import type { Summary } from '../summary/index.ts';

export interface ShelvedRun {
  readonly name: string;
  readonly manifest: Manifest;
  /** `null` while it runs, and when it crashed. */
  readonly summary: Summary | null;
}

export interface RunShelf {
  /** Names of the runs, in order. Only these are ever opened. */
  names(): Promise<readonly string[]>;
  /** Errors: `ProblemsError` when the folder is no run any more, `EnvironmentError`. */
  open(name: string): Promise<ShelvedRun>;
  /** What the run's records are judged by: its own objective, else correctness alone. */
  objectiveOf(name: string): Promise<Objective>;
  /** One at a time in memory. */
  records(name: string, pointIndex: number): AsyncIterable<RequestRecord>;
  /** Records of a growing file, each once. */
  follow(name: string, pointIndex: number): { next(): AsyncIterable<RequestRecord> };
  /** The report of a run, or of several beside each other, as a page of its own. */
  report(names: readonly string[]): Promise<string>;
}
