/**
 * `host`: this machine. Facts for the manifest, a pacer finer than a timer, and meters that tell
 * how far the generator itself may be trusted. Start with `self-meter.ts`.
 */
export * from './host-facts.ts';
export * from './load-limits.ts';
export * from './loopback-certificate.ts';
export * from './machine-limits.ts';
export * from './monotonic.ts';
export * from './pacer-for-rate.ts';
export * from './precise-pacer.ts';
export * from './process-usage.ts';
export * from './self-meter.ts';
export * from './thread-pacer.ts';
