/**
 * `tracing`: servers' own spans joined to the client's records, request by request: where each
 * one's time went. Start with `server-span.ts`; `join-spans.ts` finds the span of a record,
 * `time-parts.ts` adds the parts up. Durations only: the two clocks are never compared.
 */
export * from './join-spans.ts';
export * from './server-span.ts';
export * from './time-parts.ts';
