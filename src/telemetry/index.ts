/**
 * `telemetry`: what an engine's own `/metrics` say of a load. `engine-metrics.ts` holds the names by
 * engine and version, `read-scrape.ts` turns one scrape into readings, `server-point.ts` the scrapes
 * of a load point into what happened between the first and the last; `histogram-bounds.ts` says what
 * buckets can and cannot tell. Pure: scraping belongs to `scraper`.
 */
export * from './engine-metrics.ts';
export * from './histogram-bounds.ts';
export * from './histogram-counts.ts';
export * from './known-lines.ts';
export * from './read-scrape.ts';
export * from './scrape.ts';
export * from './server-point.ts';
