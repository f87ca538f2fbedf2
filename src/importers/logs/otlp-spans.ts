/** OTLP/JSON (one ExportTraceServiceRequest): its spans, and their attributes as plain values. */
import { isObject, numberOf, type LogObject } from './log-values.ts';

/** A span with its attributes by name. */
export interface OtlpSpan {
  readonly span: LogObject;
  readonly attributes: ReadonlyMap<string, unknown>;
  /** `service.name` of the resource that it is of. */
  readonly service: string | null;
}

/** Every span of an export, in its order. */
export function* spansOf(value: LogObject): Generator<OtlpSpan> {
  for (const resourceSpans of objects(value['resourceSpans'])) {
    const { resource } = resourceSpans;
    const facts = attributesOf(isObject(resource) ? resource['attributes'] : null);
    const service = textOf(facts.get('service.name'));
    for (const scope of objects(resourceSpans['scopeSpans'])) {
      for (const span of objects(scope['spans'])) {
        yield { span, attributes: attributesOf(span['attributes']), service };
      }
    }
  }
}

/** 64-bit integers are decimal texts; some writers use numbers. */
export function nanoOf(value: unknown): bigint | null {
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null;
}

export function objects(value: unknown): LogObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text short enough to be a label; `null` when there is none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 120) : null;
}

/** A number of `unitNs` as whole nanoseconds. */
export function ns(value: unknown, unitNs: number): number | null {
  const number = numberOf(value);
  return number === null ? null : Math.round(number * unitNs);
}

function attributesOf(list: unknown): ReadonlyMap<string, unknown> {
  return new Map(objects(list).map(({ key, value }) => [String(key), anyValue(value)]));
}

function anyValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (isObject(value['arrayValue'])) return objects(value['arrayValue']['values']).map(anyValue);
  return value['stringValue'] ?? value['intValue'] ?? value['doubleValue'] ?? value['boolValue'];
}
