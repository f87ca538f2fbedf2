/** The local server behind `goodput view`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, EnvironmentError, printable, ProblemsError } from '../base/index.ts';
import { type ViewPages, viewPages } from '../report/index.ts';
import { type Asked, computingRefusal, refusalOf } from './guard.ts';
import { LiveRuns } from './live-runs.ts';
import type { RunShelf, ShelvedRun } from './run-shelf.ts';
import { WhatIfCache } from './what-if-cache.ts';
import { askedObjective } from './what-if-question.ts';

export interface ViewServerOptions {
  readonly shelf: RunShelf;
  readonly clock: Clock;
  /** 0 = any free one. */
  readonly port: number;
  /** Unguessable: what pages show when they ask for something to be computed. */
  readonly token: string;
  readonly toolVersion: string;
}

export interface ViewServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Reports set side by side at a time. */
const COMPARED_MOST = 8;

/**
 * Serves the runs of a shelf on the loopback address.
 * Errors: EnvironmentError when the port cannot be had.
 */
export async function startViewServer(options: ViewServerOptions): Promise<ViewServer> {
  const answers = new Answers(options, await viewPages());
  const server = createServer((request, response) => {
    void answers.answer(request, response, (server.address() as AddressInfo).port);
  });
  // A question has no body, and no honest client takes long to ask it.
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  await listening(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const hint = 'choose another with --port, or leave it out for a free one';
      const message = `cannot listen on 127.0.0.1:${port}`;
      reject(new EnvironmentError({ code: 'E_PORT_IN_USE', message, cause, hint }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

interface Answer {
  readonly status: number;
  readonly type: 'text/html' | 'application/json';
  readonly body: string;
}

class Answers {
  readonly #options: ViewServerOptions;
  readonly #pages: ViewPages;
  readonly #whatIf: WhatIfCache;
  readonly #live: LiveRuns;

  constructor(options: ViewServerOptions, pages: ViewPages) {
    this.#options = options;
    this.#pages = pages;
    this.#whatIf = new WhatIfCache(options.shelf);
    this.#live = new LiveRuns(options.shelf, options.clock);
  }

  async answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const asked: Asked = {
      method: request.method ?? '',
      host: request.headers.host ?? null,
      site: headerOf(request, 'sec-fetch-site'),
      token: headerOf(request, 'x-goodput-token'),
    };
    const answer = await this.#answerTo(asked, request.url ?? '/', port);
    const body = Buffer.from(answer.body, 'utf8');
    response.writeHead(answer.status, {
      'content-type': `${answer.type}; charset=utf-8`,
      'content-length': body.length,
      // The page's own policy names its style and script; a header can also forbid frames.
      'content-security-policy': "frame-ancestors 'none'; object-src 'none'; base-uri 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      ...(answer.status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(asked.method === 'HEAD' ? undefined : body);
  }

  async #answerTo(asked: Asked, path: string, port: number): Promise<Answer> {
    const refused = refusalOf(asked, port);
    if (refused !== null) return this.#problem(refused.status, refused.text);
    try {
      const url = new URL(path, 'http://localhost');
      return await this.#route(asked, url);
    } catch (error) {
      if (error instanceof ProblemsError) {
        return this.#problem(404, error.problems[0]?.message ?? 'not to be had');
      }
      if (error instanceof EnvironmentError) return this.#problem(500, error.message);
      if (error instanceof URIError || error instanceof TypeError) {
        return this.#problem(400, 'the address is malformed');
      }
      // One failed question is no reason to end the others.
      return this.#problem(500, `internal error: ${error instanceof Error ? error.message : ''}`);
    }
  }

  async #route(asked: Asked, url: URL): Promise<Answer> {
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const [first = '', name = '', what = ''] = parts;
    // Browsers ask for it unasked; a 404 would stand in their console as our mistake.
    if (url.pathname === '/favicon.ico') return { status: 204, type: 'text/html', body: '' };
    if (url.pathname === '/') return this.#runs(url.searchParams.get('q') ?? '');
    if (first === 'compare' && parts.length === 1) {
      return this.#reportOf(url.searchParams.getAll('run'));
    }
    if (first !== 'run' || parts.length > 3) return this.#problem(404, 'there is no such page');
    if (what === 'report') return this.#reportOf([name]);
    const run = await this.#open(name);
    if (run === null) return this.#problem(404, 'there is no such run');
    if (what === '') return this.#run(run);
    if (what !== 'what-if' && what !== 'live') return this.#problem(404, 'there is no such page');
    const refused = computingRefusal(asked, this.#options.token);
    if (refused !== null) return json(refused.status, { problem: refused.text });
    return what === 'live' ? this.#look(run) : this.#judge(run, url.searchParams);
  }

  async #runs(search: string): Promise<Answer> {
    const { shelf } = this.#options;
    const runs: ShelvedRun[] = [];
    for (const name of await shelf.names()) {
      try {
        runs.push(await shelf.open(name));
      } catch (error) {
        // A broken folder is not shown; opened by its address it says what is wrong.
        if (!(error instanceof ProblemsError)) throw error;
      }
    }
    const newestFirst = runs.toSorted((a, b) =>
      b.manifest.startedAt.localeCompare(a.manifest.startedAt),
    );
    return html(200, this.#pages.runsPage(newestFirst, search, this.#frame));
  }

  async #run(run: ShelvedRun): Promise<Answer> {
    const { name, manifest, summary } = run;
    if (summary === null) return html(200, this.#pages.runningRunPage(run, this.#frame));
    const objective = await this.#options.shelf.objectiveOf(name);
    return html(
      200,
      this.#pages.finishedRunPage({ name, manifest, summary }, objective, this.#frame),
    );
  }

  async #reportOf(names: readonly string[]): Promise<Answer> {
    const known = await this.#options.shelf.names();
    const wanted = [...new Set(names)];
    if (wanted.length === 0) return this.#problem(400, 'choose the runs to compare');
    if (wanted.length > COMPARED_MOST) return this.#problem(400, `at most ${COMPARED_MOST} runs`);
    if (!wanted.every((name) => known.includes(name))) {
      return this.#problem(404, 'there is no such run');
    }
    return html(200, await this.#options.shelf.report(wanted));
  }

  async #judge(run: ShelvedRun, asked: URLSearchParams): Promise<Answer> {
    if (run.summary === null) return json(409, { problem: 'the run has no result yet' });
    const answer = await this.#whatIf.ask(run, (own) => askedObjective(own, asked));
    if (typeof answer === 'string') return json(400, { problem: answer });
    const { points, objective } = answer;
    return json(200, {
      rows: this.#pages.whatIfRows(points),
      sentence: this.#pages.sentenceOf(points, objective.population.attainmentShare),
    });
  }

  async #look(run: ShelvedRun): Promise<Answer> {
    const { points, recordCount, perSecond, idleSeconds } = await this.#live.look(run);
    return json(200, {
      rows: this.#pages.liveRows(points),
      sentence: this.#pages.liveSentence(recordCount, perSecond, idleSeconds),
      ended: run.summary !== null,
    });
  }

  /** A name is looked up among those that are there, never made into a path. */
  async #open(name: string): Promise<ShelvedRun | null> {
    const { shelf } = this.#options;
    return (await shelf.names()).includes(name) ? shelf.open(name) : null;
  }

  get #frame(): { readonly token: string; readonly toolVersion: string } {
    const { token, toolVersion } = this.#options;
    return { token, toolVersion };
  }

  #problem(status: number, text: string): Answer {
    // A refused question must not learn the token.
    const frame = { token: '', toolVersion: this.#options.toolVersion };
    return html(status, this.#pages.problemPage(printable(text), frame));
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function html(status: number, body: string): Answer {
  return { status, type: 'text/html', body };
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
