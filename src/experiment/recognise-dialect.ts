import { EnvironmentError, NS_PER_SECOND } from '../base/index.ts';
import type { HttpClient } from '../client/index.ts';
import { DIALECT_NAMES, DIALECTS, type Dialect, type DialectName } from '../wire/index.ts';

const TIMEOUT_NS = 2 * NS_PER_SECOND;

/**
 * The dialect whose own small page this server has, for a hint when the one asked for is not
 * spoken here. `null` when none is recognised: hosted APIs have no such page.
 */
export async function recogniseDialect(client: HttpClient): Promise<DialectName | null> {
  for (const name of DIALECT_NAMES) {
    const { signature }: Dialect = DIALECTS[name];
    if (signature !== null && (await hasPage(client, signature))) return name;
  }
  return null;
}

async function hasPage(
  client: HttpClient,
  { path, field }: NonNullable<Dialect['signature']>,
): Promise<boolean> {
  try {
    const { httpStatus, json } = await client.requestJson({
      method: 'GET',
      under: 'root',
      path,
      body: null,
      timeoutNs: TIMEOUT_NS,
    });
    return httpStatus === 200 && typeof json === 'object' && json !== null && field in json;
  } catch (error) {
    if (error instanceof EnvironmentError) return false;
    throw error;
  }
}
