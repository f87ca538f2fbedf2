/** Who answers at the target, before any load: models, version, round trip. */
import {
  type Clock,
  EnvironmentError,
  NS_PER_SECOND,
  printable,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import type { HttpClient, JsonReply } from '../client/index.ts';
import type { Dialect } from '../wire/index.ts';

export interface OfferedModel {
  readonly id: string;
  readonly owner: string | null;
  /** Path or hub name the weights came from, where the server tells (vLLM). */
  readonly root: string | null;
  readonly maxModelTokens: number | null;
}

export interface ServerIdentity {
  /** `null` when the server has no model list. */
  readonly models: readonly OfferedModel[] | null;
  readonly version: string | null;
  /** Fastest of a few small requests on an open connection. */
  readonly roundTripNs: number | null;
}

const TIMEOUT_NS = 5 * NS_PER_SECOND;
const ROUND_TRIPS = 5;

/**
 * Errors: EnvironmentError `E_TARGET_UNREACHABLE` when nothing answers, `E_TARGET_REFUSED` when
 * the key is not accepted.
 */
export async function identifyServer(
  client: HttpClient,
  clock: Clock,
  { listsModels }: Pick<Dialect, 'listsModels'>,
): Promise<ServerIdentity> {
  const list = await client.requestJson({
    method: 'GET',
    under: 'api',
    path: '/models',
    body: null,
    timeoutNs: TIMEOUT_NS,
  });
  const isRefused = list.httpStatus === 401 || list.httpStatus === 403;
  if (listsModels && isRefused) throw keyRefused(list.httpStatus);
  return {
    models: listsModels && list.httpStatus === 200 ? offeredModels(list.json) : null,
    version: await serverVersion(client),
    roundTripNs: await fastestRoundTrip(client, clock),
  };
}

/**
 * The model to ask for: the one named, else the only one offered.
 * Errors: ProblemsError `E_MODEL_MISSING` when the server offers none or several.
 */
export function chooseModel(named: string | null, models: readonly OfferedModel[] | null): string {
  if (named !== null) return named;
  const [only, ...others] = models ?? [];
  if (only !== undefined && others.length === 0) return only.id;
  const offered = [only, ...others].filter((model) => model !== undefined);
  const message =
    offered.length === 0
      ? 'no model was named and the server lists none'
      : `no model was named and the server offers ${offered.length}`;
  const names = offered.slice(0, 10).map((model) => printable(model.id, 80));
  const hint =
    names.length === 0 ? 'give --model NAME' : `give --model, one of ${names.join(', ')}`;
  throw new ProblemsError([usageProblem('E_MODEL_MISSING', message, hint)]);
}

function offeredModels(json: unknown): OfferedModel[] | null {
  const data = field(json, 'data');
  if (!Array.isArray(data)) return null;
  return data.flatMap((entry: unknown) => {
    const id = field(entry, 'id');
    if (typeof id !== 'string' || id === '') return [];
    const maxModelTokens = field(entry, 'max_model_len');
    return [
      {
        id,
        owner: textField(entry, 'owned_by'),
        root: textField(entry, 'root'),
        maxModelTokens: typeof maxModelTokens === 'number' ? maxModelTokens : null,
      },
    ];
  });
}

/** `/version` is vLLM's and SGLang's; others name themselves in the `server` header. */
async function serverVersion(client: HttpClient): Promise<string | null> {
  const reply = await tried(() =>
    client.requestJson({
      method: 'GET',
      under: 'root',
      path: '/version',
      body: null,
      timeoutNs: TIMEOUT_NS,
    }),
  );
  if (reply === null) return null;
  const version = reply.httpStatus === 200 ? textField(reply.json, 'version') : null;
  const server = reply.headers['server'];
  return version ?? (typeof server === 'string' ? server : null);
}

async function fastestRoundTrip(client: HttpClient, clock: Clock): Promise<number | null> {
  let fastestNs: number | null = null;
  for (let turn = 0; turn < ROUND_TRIPS; turn += 1) {
    const startNs = clock.nowNs();
    const reply = await tried(() =>
      client.requestJson({
        method: 'GET',
        under: 'api',
        path: '/models',
        body: null,
        timeoutNs: TIMEOUT_NS,
      }),
    );
    if (reply === null) return fastestNs;
    const tookNs = clock.nowNs() - startNs;
    fastestNs = fastestNs === null ? tookNs : Math.min(fastestNs, tookNs);
  }
  return fastestNs;
}

/** These requests only inform: one that fails leaves a fact unknown. */
async function tried(request: () => Promise<JsonReply>): Promise<JsonReply | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof EnvironmentError) return null;
    throw error;
  }
}

function keyRefused(httpStatus: number): EnvironmentError {
  return new EnvironmentError({
    code: 'E_TARGET_REFUSED',
    message: `the target answers ${httpStatus}: the key is missing or not accepted`,
    hint: 'name the variable that holds the key with --key-env, or its file with --key-file',
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textField(value: unknown, name: string): string | null {
  const text = field(value, name);
  return typeof text === 'string' && text !== '' ? text : null;
}
