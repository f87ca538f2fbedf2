/** What a worker thread of a simulation runs: `simulate-many.ts` names this module. */
import { serveJobs } from '../workers/index.ts';
import { type PackedJob, unpacked } from './simulate-many.ts';
import { simulatePoint } from './simulate-point.ts';

serveJobs((job: PackedJob, signals) => simulatePoint(unpacked(job), signals));
