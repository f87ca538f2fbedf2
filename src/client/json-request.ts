/** Small requests around the load: models, health, tokenizer. */
import { EnvironmentError, type Clock } from '../base/index.ts';
import { BoundedText } from './bounded-text.ts';
import type { ResponseHeaders } from './response-head.ts';
import type { Connection, HttpRequest } from './transport.ts';

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  /** `api`: below the versioned path, e.g. `/models`. `root`: the server's own, e.g. `/health`. */
  readonly under: 'api' | 'root';
  readonly path: string;
  /** `null` for none. */
  readonly body: unknown;
  readonly timeoutNs: number;
}

export interface JsonReply {
  readonly httpStatus: number;
  readonly headers: ResponseHeaders;
  /** The parsed body; `null` when it is not JSON (health checks answer with nothing). */
  readonly json: unknown;
  /** The body as text, up to 1 MB. */
  readonly text: string;
}

const REPLY_BYTES = 1_000_000;

/**
 * Errors: EnvironmentError `E_TARGET_UNREACHABLE` when no response came in time.
 */
export function exchangeJson(
  connection: Connection,
  request: HttpRequest,
  options: { readonly clock: Clock; readonly timeoutNs: number; readonly origin: string },
): Promise<{ readonly reply: JsonReply; readonly reusable: boolean }> {
  return new Promise((resolve, reject) => {
    const body = new BoundedText(REPLY_BYTES);
    let head: { readonly status: number; readonly headers: ResponseHeaders } | null = null;
    const disarm = options.clock.at(options.clock.nowNs() + options.timeoutNs, () => {
      fail(new Error('no response in time'));
      connection.destroy();
    });
    const fail = (cause: Error): void => {
      disarm();
      const message = `cannot reach ${options.origin}: ${reasonOf(cause)}`;
      reject(new EnvironmentError({ code: 'E_TARGET_UNREACHABLE', message, cause }));
    };
    const done = (reusable: boolean): void => {
      disarm();
      const { status, headers } = head as NonNullable<typeof head>;
      const text = body.text();
      resolve({ reply: { httpStatus: status, headers, json: parsed(text), text }, reusable });
    };
    connection.dispatch(request, {
      onWritten: () => {},
      onHead: (status, headers) => {
        head = { status, headers };
      },
      onBody: (memory, from, to) => {
        body.add(memory.subarray(from, to));
        if (body.full) done(false);
      },
      onEnd: () => done(true),
      onFault: (fault) =>
        fail(fault.kind === 'cut' ? new Error('the response was cut off') : fault.cause),
    });
  });
}

function reasonOf(error: Error): string {
  const { cause } = error;
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code === undefined ? error.message : `${error.message} (${code})`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
