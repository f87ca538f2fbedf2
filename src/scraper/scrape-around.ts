/** Looks at every endpoint before, during and after a load point. */
import type { Clock } from '../base/index.ts';
import type { Scrape } from '../telemetry/index.ts';
import { fetchMetrics, metricsAgent } from './fetch-metrics.ts';

export interface ScraperOptions {
  readonly endpoints: readonly { readonly url: string; readonly shownUrl: string }[];
  readonly everyNs: number;
  /** PEM of a certificate authority to trust as well. */
  readonly ca: string | null;
  readonly clock: Clock;
  /** Every look as it comes, for whoever stores it. */
  readonly onScrape: (scrape: Scrape) => void | Promise<void>;
}

export interface Scraper {
  /**
   * Runs `load` between a look that has ended before it begins and one that begins when it has
   * ended, with looks in between every `everyNs`; a look is left out while one is under way. What
   * goes wrong with a look is in its scrape and never in the way of the load; what goes wrong with
   * storing one is thrown when the load has ended.
   */
  around<Result>(
    pointIndex: number,
    load: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly scrapes: readonly Scrape[] }>;
  close(): void;
}

export function createScraper(options: ScraperOptions): Scraper {
  const { clock, endpoints, everyNs } = options;
  const agent = metricsAgent(options.ca);
  const look = async (at: Pick<Scrape, 'pointIndex' | 'beat' | 'phase'>): Promise<Scrape[]> =>
    Promise.all(
      endpoints.map(async ({ url, shownUrl }) => {
        const sentNs = clock.nowNs();
        const answer = await fetchMetrics(agent, url, clock);
        const scrape = { ...at, url: shownUrl, sentNs, receivedNs: clock.nowNs(), ...answer };
        await options.onScrape(scrape);
        return scrape;
      }),
    );
  return {
    async around(pointIndex, load) {
      const scrapes = await look({ pointIndex, beat: 0, phase: 'before' });
      let beat = 0;
      let underWay: Promise<void> | null = null;
      let dueNs = clock.nowNs();
      const lookDuring = async (): Promise<void> => {
        scrapes.push(...(await look({ pointIndex, beat, phase: 'during' })));
        underWay = null;
      };
      const arm = (): (() => void) => {
        dueNs += everyNs;
        return clock.at(dueNs, tick);
      };
      const tick = (): void => {
        disarm = arm();
        if (underWay !== null) return;
        beat += 1;
        underWay = lookDuring();
        // It is awaited after the load, which must not end by an unhandled rejection.
        underWay.catch(() => {});
      };
      let disarm = arm();
      const result = await load().finally(() => disarm());
      // The function is called from alarms, which the compiler cannot see.
      await (underWay as Promise<void> | null);
      scrapes.push(...(await look({ pointIndex, beat: beat + 1, phase: 'after' })));
      return { result, scrapes };
    },
    close() {
      agent.destroy().catch(() => {});
    },
  };
}
