/** `target.quota`: the limits a provider has published, which a load must stay within. */
import type { z } from 'zod';
import { mappingOrText } from './assignments.ts';
import { count, mapping } from './scalars.ts';

/** `null` = no limit declared. */
export interface QuotaSpec {
  readonly requestsPerMinute: number | null;
  /** Prompt and longest answer together, as providers count a request before they serve it. */
  readonly tokensPerMinute: number | null;
  readonly concurrent: number | null;
}

export const NO_QUOTA: QuotaSpec = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrent: null,
};

const quotaKeys = mapping({
  rpm: count.optional().describe('Requests a minute.'),
  tpm: count
    .optional()
    .describe('Tokens a minute: prompt and longest answer of each request, as providers count.'),
  concurrent: count.optional().describe('Requests in flight: the ceiling of the run.'),
});

export const quotaSection = mappingOrText(quotaKeys, {});

export function quotaSpec(keys: z.output<typeof quotaKeys> | undefined): QuotaSpec {
  return {
    requestsPerMinute: keys?.rpm ?? null,
    tokensPerMinute: keys?.tpm ?? null,
    concurrent: keys?.concurrent ?? null,
  };
}

/** The quota as a run file has it; `null` without one. */
export function quotaTree(quota: QuotaSpec): Record<string, unknown> | null {
  const limits = [
    ['rpm', quota.requestsPerMinute],
    ['tpm', quota.tokensPerMinute],
    ['concurrent', quota.concurrent],
  ].filter(([, limit]) => limit !== null);
  return limits.length === 0 ? null : (Object.fromEntries(limits) as Record<string, unknown>);
}
