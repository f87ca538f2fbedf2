/** The generators of a run: the pool of processes, and how many of them each load point takes. */
import { msFromNs } from '../../base/index.ts';
import type { HttpClient } from '../../client/index.ts';
import type { RunSpec } from '../../config/index.ts';
import { checkLoadLimits, hostFacts } from '../../host/index.ts';
import { sharesOf } from '../../loadgen/index.ts';
import type { RunPlan } from '../plan-run.ts';
import type { Preflight } from '../preflight.ts';
import type { ExperimentPorts } from '../run-experiment.ts';
import { generatorNeed, type GeneratorPlan, planGenerators } from './generator-need.ts';
import { GeneratorPool } from './generator-pool.ts';

export interface Generators {
  readonly pool: GeneratorPool;
  /**
   * How many processes, where this machine has what they need.
   * Errors: as `planGenerators` and `checkLoadLimits`.
   */
  plan(point: RunPlan['points'][number]): GeneratorPlan;
}

/** Starts no process yet: a load that one process can send never needs one. */
export function openGenerators(
  spec: RunSpec,
  parts: {
    readonly plan: Pick<RunPlan, 'source'>;
    readonly ready: Preflight;
    readonly client: Pick<HttpClient, 'addressCount'>;
  },
  ports: Pick<ExperimentPorts, 'clock' | 'wallNowMs' | 'readText' | 'apiKey'>,
): Generators {
  const { plan, ready, client } = parts;
  const { target, checks, processes: asked, budget, traceShare, seeds } = spec;
  const { clock, wallNowMs, readText, apiKey } = ports;
  const { caFile, clientCertificate } = target;
  const tokenizerFile = target.tokenizer?.kind === 'file' ? target.tokenizer.path : null;
  const paths = [caFile, clientCertificate?.certFile, clientCertificate?.keyFile, tokenizerFile];
  const files = paths.flatMap((path) => (path ? [[path, readText(path)] as const] : []));
  const { cpus: cores } = hostFacts();
  return {
    pool: new GeneratorPool({
      target,
      checks,
      clockOriginMs: clock.sharedOriginMs,
      wallOriginMs: wallNowMs() - msFromNs(clock.nowNs()),
      apiKey,
      files: Object.fromEntries(files),
      source: plan.source,
      preflight: { talk: ready.talk, calibration: ready.calibration },
      tracing: { traceShare, seeds },
    }),
    plan(point) {
      const { maxInFlight } = budget;
      const need = generatorNeed(point, {
        answer: ready.answer,
        maxInFlight,
        stream: target.stream,
      });
      const planned = planGenerators(point, need, { asked, cores, maxInFlight });
      const { requests, slots } = point.schedule;
      const connections = Math.min(maxInFlight, slots ?? requests.length);
      checkLoadLimits({
        connections: sharesOf(connections, planned.processes),
        addresses: client.addressCount,
        requests: requests.length,
      });
      return planned;
    },
  };
}
