/**
 * `scraper` †: looks at `/metrics` of engines while a load runs. `scrape-around.ts` is the way in;
 * `fetch-metrics.ts` asks one endpoint. Knows what to keep from `telemetry`, and draws no conclusion.
 */
export * from './fetch-metrics.ts';
export * from './scrape-around.ts';
