/** What passes between the process that plans and records and the processes that send. */
import type { ClientKey } from '../../client/index.ts';
import type { RunSpec } from '../../config/index.ts';
import type { BudgetLimits, StartedRequest } from '../../loadgen/index.ts';
import type { RequestRecord } from '../../record/index.ts';
import type { SentError } from '../../workers/index.ts';
import type { PromptSource, ScheduledRequest } from '../../workload/index.ts';
import type { GeneratedLoad, GeneratorLoad } from '../generate-load.ts';
import type { Preflight } from '../preflight.ts';
import type { TraceChoice } from '../trace-choice.ts';

/** What a generator process needs for all its loads. Keys pass by the channel and no other way. */
export interface GeneratorSetup extends Pick<RunSpec, 'target' | 'checks'> {
  /** Origin of the run's clock on the scale that all processes share. */
  readonly clockOriginMs: number;
  /** Wall-clock time of that origin, in ms since 1970. */
  readonly wallOriginMs: number;
  readonly apiKey: ClientKey | null;
  /** Text of the files that the target names (certificates, tokenizer), by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly source: PromptSource;
  readonly preflight: Pick<Preflight, 'talk' | 'calibration'>;
  readonly tracing: TraceChoice;
}

/** A stripe without its requests, which come ahead in parts. */
export interface StripeLoad extends Omit<GeneratorLoad, 'schedule'> {
  readonly schedule: Omit<GeneratorLoad['schedule'], 'requests'>;
  readonly budget: BudgetLimits;
}

export type ToGenerator =
  | { readonly kind: 'setUp'; readonly setup: GeneratorSetup }
  | { readonly kind: 'requests'; readonly requests: readonly ScheduledRequest[] }
  | { readonly kind: 'load'; readonly load: StripeLoad }
  | { readonly kind: 'start'; readonly startNs: number }
  | { readonly kind: 'stopStarts' }
  | { readonly kind: 'cancelAll' };

/** A try that was handed to the client. */
export interface StartNews extends Omit<StartedRequest, 'request' | 'inFlightAtDispatch'> {
  readonly index: number;
}

export type FromGenerator =
  /** Connections are open; the load may start. */
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'news';
      /** All that happened before this instant has been told with this message. */
      readonly toldNs: number;
      readonly starts: readonly StartNews[];
      readonly records: readonly RequestRecord[];
    }
  | { readonly kind: 'ended'; readonly generated: GeneratedLoad }
  | { readonly kind: 'failed'; readonly error: SentError };
