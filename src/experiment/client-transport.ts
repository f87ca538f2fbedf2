/** Whether a calibration of the client is one of a run that is planned here and now. */
import type { RunSpec } from '../config/index.ts';
import { hostFacts } from '../host/index.ts';
import {
  type CalibrationMisfit,
  type ClientCalibration,
  type ClientTransport,
  misfitsOf,
} from '../record/index.ts';

/** How a target is connected to, as far as a client's error depends on it. */
export function clientTransport({ url, transport, http2 }: RunSpec['target']): ClientTransport {
  return { name: transport, tls: /^https:/i.test(url), http2 };
}

/** Where a calibration does not fit a run of `spec` by this process. */
export function calibrationMisfits(
  client: ClientCalibration,
  { target }: Pick<RunSpec, 'target'>,
  toolVersion: string,
): CalibrationMisfit[] {
  const { node, ...host } = hostFacts();
  const tool = { name: 'goodput', version: toolVersion, node } as const;
  return misfitsOf(client, { tool, host, transport: clientTransport(target) });
}
