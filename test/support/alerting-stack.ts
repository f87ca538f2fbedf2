/** Prometheus and Alertmanager as processes, with a history that was never lived through. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A series in PromQL's notation, and its value so many minutes ago. */
export interface PlantedSeries {
  readonly series: string;
  readonly valueAt: (minutesBeforeNow: number) => number;
}

/** What Alertmanager tells a receiver, as far as tests ask. */
export interface Notification {
  readonly receiver: string;
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>> }[];
}

const MINUTES_PER_DAY = 1_440;

/** The programs' names in Debian; elsewhere Alertmanager has no prefix. */
const ALERTMANAGERS = ['prometheus-alertmanager', 'alertmanager'];

const exists = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

/** Alertmanager's name on this machine, or `null` when one of the programs is missing. */
export function alertmanagerProgram(): string | null {
  if (!exists('prometheus') || !exists('promtool')) return null;
  return ALERTMANAGERS.find(exists) ?? null;
}

/**
 * Writes `days` days of samples as blocks of `folder`: one a quarter of an hour, in the last two
 * hours one a minute, the last one now.
 */
export function plantHistory(
  folder: string,
  days: number,
  planted: readonly PlantedSeries[],
): void {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const families = new Set(planted.map(({ series }) => series.slice(0, series.indexOf('{'))));
  const lines = [...families].map((name) =>
    name.endsWith('_total')
      ? `# TYPE ${name.replace(/_total$/, '')} counter`
      : `# TYPE ${name} gauge`,
  );
  for (const { series, valueAt } of planted) {
    let minutes = days * MINUTES_PER_DAY;
    while (minutes >= 0) {
      lines.push(`${series} ${valueAt(minutes)} ${nowSeconds - minutes * 60}`);
      minutes -= minutes > 120 ? 15 : 1;
    }
  }
  const file = join(folder, 'history.om');
  writeFileSync(file, `${lines.join('\n')}\n# EOF\n`);
  const made = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, folder], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
}

/** Takes webhook notifications on the loopback. */
export class PagerDesk {
  readonly received: Notification[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        this.received.push(JSON.parse(body) as Notification);
        response.end();
      });
    });
  }

  static async open(): Promise<PagerDesk> {
    const desk = new PagerDesk();
    await new Promise<void>((resolve) => desk.#server.listen(0, '127.0.0.1', resolve));
    return desk;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Both programs, running; `folder` holds their two configurations and the history. */
export class AlertingStack {
  readonly #children: readonly ChildProcess[];
  readonly #prometheusUrl: string;

  private constructor(children: readonly ChildProcess[], prometheusUrl: string) {
    this.#children = children;
    this.#prometheusUrl = prometheusUrl;
  }

  /** `ports` from {@link freePorts}. */
  static start(
    folder: string,
    alertmanager: string,
    ports: readonly [number, number],
  ): AlertingStack {
    const [prometheusPort, alertmanagerPort] = ports;
    const start = (program: string, ...args: string[]): ChildProcess =>
      spawn(program, args, { cwd: folder, stdio: 'ignore' });
    return new AlertingStack(
      [
        start(
          alertmanager,
          '--config.file=alertmanager.yml',
          '--storage.path=alertmanager-data',
          `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
          '--cluster.listen-address=',
        ),
        start(
          'prometheus',
          '--config.file=prometheus.yml',
          '--storage.tsdb.path=.',
          '--storage.tsdb.retention.time=60d',
          // The first alerts are ready before Prometheus knows whom to tell.
          '--rules.alert.resend-delay=1s',
          `--web.listen-address=127.0.0.1:${prometheusPort}`,
        ),
      ],
      `http://127.0.0.1:${prometheusPort}`,
    );
  }

  /** The rule groups' state: how each rule went, and when it was last looked at. */
  async ruleGroups(): Promise<readonly RuleGroup[]> {
    const response = await fetch(`${this.#prometheusUrl}/api/v1/rules`);
    const { data } = (await response.json()) as { data: { groups: RuleGroup[] } };
    return data.groups;
  }

  /** The samples of an instant query. */
  async query(expr: string): Promise<readonly number[]> {
    const query = new URLSearchParams({ query: expr }).toString();
    const response = await fetch(`${this.#prometheusUrl}/api/v1/query?${query}`);
    const answer = (await response.json()) as QueryAnswer;
    if (answer.status === 'error') throw new Error(`${answer.error}: ${expr}`);
    return answer.data.result.map(({ value: [, text] }) => Number(text));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(
        (child) =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null || child.signalCode !== null) return resolve();
            child.once('exit', () => resolve());
            child.kill();
          }),
      ),
    );
  }
}

type QueryAnswer =
  | { readonly status: 'error'; readonly error: string }
  | {
      readonly status: 'success';
      readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
    };

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly {
    readonly name: string;
    readonly type: 'alerting' | 'recording';
    readonly health: 'ok' | 'unknown' | 'err';
    readonly lastError?: string;
    readonly state?: 'firing' | 'pending' | 'inactive';
    readonly labels: Readonly<Record<string, string>>;
  }[];
}

/** Two ports that were free a moment ago. */
export async function freePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [0, 1].map(
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const [one, two] = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return [one as number, two as number];
}
