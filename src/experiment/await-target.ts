/** Waits until a target that was just started answers. */
import {
  type Clock,
  EnvironmentError,
  NS_PER_SECOND,
  printable,
  waitUntil,
} from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import { type Dialect, DIALECTS } from '../wire/index.ts';
import { openClient } from './open-client.ts';
import type { ExperimentPorts } from './run-experiment.ts';
import { identifyServer } from './server-identity.ts';

const POLL_NS = NS_PER_SECOND / 2;

/**
 * Asks for the model list until it comes.
 *
 * Errors: EnvironmentError `E_TARGET_UNREACHABLE` after `limitNs`; `E_TARGET_REFUSED` at once.
 */
export async function awaitTarget(
  spec: Pick<RunSpec, 'target' | 'checks'>,
  ports: Pick<ExperimentPorts, 'clock' | 'wallNowMs' | 'readText' | 'apiKey' | 'stopStarts'>,
  limitNs: number,
): Promise<void> {
  const { clock, stopStarts } = ports;
  const deadlineNs = clock.nowNs() + limitNs;
  while (!stopStarts.aborted) {
    if (await answers(spec, ports, clock)) return;
    if (clock.nowNs() >= deadlineNs) {
      throw new EnvironmentError({
        code: 'E_TARGET_UNREACHABLE',
        message: `${printable(spec.target.url)} did not answer in time after it was switched`,
        hint: 'look at the command that starts it, or wait longer with --ready-timeout',
      });
    }
    await waitUntil(clock, clock.nowNs() + POLL_NS);
  }
}

async function answers(
  spec: Pick<RunSpec, 'target' | 'checks'>,
  ports: Parameters<typeof openClient>[1],
  clock: Clock,
): Promise<boolean> {
  const client = await openClient(spec, ports);
  try {
    const dialect: Dialect = DIALECTS[spec.target.api];
    const { models } = await identifyServer(client, clock, dialect);
    // Without a list to ask for, any answer must do.
    return models !== null || !dialect.listsModels;
  } catch (error) {
    if (error instanceof EnvironmentError && error.code === 'E_TARGET_UNREACHABLE') return false;
    throw error;
  } finally {
    client.close();
  }
}
