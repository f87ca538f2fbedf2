/**
 * One log on its way in: values → sound requests, with what was broken, what each field rests on
 * and where the source contradicts itself. Keeps counts and a few samples, never the rows.
 */
import {
  COVERED_FIELDS,
  IdentityCheck,
  type CoveredField,
  type LoggedRequest,
  type SourceFinding,
} from '../../logs/index.ts';
import { measureRecord, OUTPUT_KINDS, type RequestRecord } from '../../record/index.ts';
import { measured, type FieldOrigin, type LogFormat } from './log-format.ts';
import { isObject, rowFault } from './log-values.ts';

/** goodput's own records, which are read by their own reader and not row by row. */
export const OWN_RECORDS: LogFormat = {
  name: 'goodput',
  title: 'goodput records',
  fields: Object.fromEntries(COVERED_FIELDS.map((field) => [field, measured('the record')])),
  recognises: () => false,
  read: () => [],
};

/** Broken lines shown; all are counted. */
const SAMPLES_SHOWN = 5;

export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
}

export interface FieldCoverage extends FieldOrigin {
  readonly field: CoveredField;
  /** Sound requests that have it. */
  readonly present: number;
}

export interface ImportReport {
  readonly format: string;
  readonly title: string;
  /** Sound requests. */
  readonly requests: number;
  /** Lines or rows that could not be read; broken ones never reach the judge. */
  readonly rejected: number;
  readonly samples: readonly RejectedLine[];
  readonly fields: readonly FieldCoverage[];
  readonly findings: readonly SourceFinding[];
}

export class LogImport {
  readonly format: LogFormat;
  readonly #present = COVERED_FIELDS.map(() => 0);
  readonly #identity = new IdentityCheck();
  readonly #told: SourceFinding[] = [];
  readonly #samples: RejectedLine[] = [];
  #requests = 0;
  #rejected = 0;
  #lastReason = '';

  constructor(format: LogFormat) {
    this.format = format;
  }

  /** Rows rejected so far. */
  get rejectedCount(): number {
    return this.#rejected;
  }

  /** Why the last one was. */
  get lastReason(): string {
    return this.#lastReason;
  }

  /** The sound requests of a value that stood on `line`. */
  take(value: unknown, line: number): readonly LoggedRequest[] {
    if (!isObject(value)) {
      this.reject(line, 'it is no JSON object');
      return [];
    }
    const requests = this.format.read(value);
    this.#told.push(...(this.format.findings?.(value) ?? []));
    let sound = true;
    for (const request of requests) {
      const fault = rowFault(request);
      if (fault === null) this.#count(request);
      else {
        sound = false;
        this.reject(line, fault);
      }
    }
    return sound ? requests : requests.filter((request) => rowFault(request) === null);
  }

  reject(line: number, reason: string): void {
    this.#rejected += 1;
    this.#lastReason = reason;
    if (this.#samples.length < SAMPLES_SHOWN) this.#samples.push({ line, reason });
  }

  /** Counts one of our own records, which is sound by its own reader. */
  countOwn(record: RequestRecord): void {
    const measures = measureRecord(record, { counts: OUTPUT_KINDS });
    const fields: Partial<Record<CoveredField, unknown>> = {
      startUs: record.dispatch.plannedNs,
      ttftNs: measures.ttftFromPlannedNs,
      e2eNs: measures.completionNs,
      gapsNs: measures.chunkGapsNs[0],
      promptTokens: measures.promptTokens,
      outputTokens: measures.outputTokens,
      finishReason: record.timeline?.finishReason,
      httpStatus: record.httpStatus,
      model: record.labels.model,
      tenant: record.labels.tenant,
    };
    this.#requests += 1;
    for (const [at, field] of COVERED_FIELDS.entries()) {
      if ((fields[field] ?? null) !== null) this.#add(at);
    }
  }

  report(): ImportReport {
    return {
      format: this.format.name,
      title: this.format.title,
      requests: this.#requests,
      rejected: this.#rejected,
      samples: this.#samples,
      fields: COVERED_FIELDS.map((field, at) => ({
        field,
        ...(this.format.fields[field] ?? { how: 'absent', from: '' }),
        present: this.#present[at] ?? 0,
      })),
      findings: [...this.#told, ...this.#identity.findings()],
    };
  }

  #count(request: LoggedRequest): void {
    this.#requests += 1;
    this.#identity.add(request);
    // By index: this is done for every row of a log.
    for (let at = 0; at < COVERED_FIELDS.length; at += 1) {
      if (request[COVERED_FIELDS[at] as CoveredField] !== null) this.#add(at);
    }
  }

  #add(at: number): void {
    this.#present[at] = (this.#present[at] ?? 0) + 1;
  }
}
