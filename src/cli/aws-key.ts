/** The AWS credentials of the environment, for APIs whose requests are signed. */
import { ProblemsError, usageProblem } from '../base/index.ts';
import type { AwsKey } from '../client/index.ts';
import type { RunSpec } from '../config/index.ts';
import { DIALECTS, type Dialect } from '../wire/index.ts';
import type { CommandContext } from './context.ts';

/** As AWS names the hosts of a service: `bedrock-runtime.eu-west-1.amazonaws.com`. */
const REGION_OF_HOST = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/;

/**
 * What signs requests of this spec; `null` where the API knows no signatures, or the environment has
 * no credentials.
 *
 * Errors: ProblemsError for half of the credentials, and for a region that nothing tells.
 */
export function readAwsKey(
  { target }: Pick<RunSpec, 'target'>,
  { env }: Pick<CommandContext, 'env'>,
): AwsKey | null {
  const { awsService }: Dialect = DIALECTS[target.api];
  const said = (name: string): string | null => env[name]?.trim() || null;
  const [accessKeyId, secretAccessKey] = [said('AWS_ACCESS_KEY_ID'), said('AWS_SECRET_ACCESS_KEY')];
  if (awsService === null || (accessKeyId === null && secretAccessKey === null)) return null;
  const region = REGION_OF_HOST.exec(new URL(target.url).hostname)?.[1] ?? said('AWS_REGION');
  if (accessKeyId === null)
    throw missing('AWS_ACCESS_KEY_ID', 'a secret key signs for its id only');
  if (secretAccessKey === null) throw missing('AWS_SECRET_ACCESS_KEY', 'it is what signs');
  if (region === null) throw missing('AWS_REGION', 'the URL does not tell the region');
  const sessionToken = said('AWS_SESSION_TOKEN');
  return { accessKeyId, secretAccessKey, sessionToken, region, service: awsService };
}

function missing(name: string, why: string): ProblemsError {
  const message = `the variable ${name} is not set: ${why}`;
  return new ProblemsError([usageProblem('E_CONFIG_ENV', message, `export ${name}=…`)]);
}
