/** The servers' own view of a run: who is asked, what is stored, what it says. */
import { type JsonValue, printable, ProblemsError } from '../base/index.ts';
import type { RunSpec, TargetSpec } from '../config/index.ts';
import { createScraper, fetchMetrics, metricsAgent } from '../scraper/index.ts';
import { type OpenRun, redactUrl, type RunFolder } from '../store/index.ts';
import { readScrape, serverPoint, type ServerPoint } from '../telemetry/index.ts';
import type { ExperimentPorts } from './run-experiment.ts';

/** What `server.json` holds. */
export interface ServerReport {
  readonly schemaVersion: 1;
  readonly everyNs: number;
  readonly points: readonly ServerPoint[];
}

export interface ServerWatch {
  /** Runs one load point under watch, then stores what the servers said of it. */
  around<Result>(pointIndex: number, load: () => Promise<Result>): Promise<Result>;
  /** Of the points that have ended. */
  points(): readonly ServerPoint[];
  close(): void;
}

/** An engine's metrics found beside its API. */
export interface FoundMetrics {
  readonly url: string;
  readonly engine: string;
}

/** Prometheus's default, and TensorRT-LLM's. */
const METRICS_PATHS = ['/metrics', '/prometheus/metrics'];

/** `null` when the spec asks for no metrics, or `auto` found none, which is told as a note. */
export async function watchServers(
  spec: RunSpec,
  ports: Pick<ExperimentPorts, 'clock' | 'readText' | 'notify'>,
  folder: Pick<RunFolder, 'appendScrape' | 'writeServer'>,
): Promise<ServerWatch | null> {
  const { endpoints, everyNs } = spec.metrics;
  const urls: string[] = [];
  for (const endpoint of endpoints) {
    const url = endpoint === 'auto' ? await ownMetrics(spec.target, ports) : endpoint;
    if (url !== null && !urls.includes(url)) urls.push(url);
  }
  if (urls.length === 0) return null;
  const scraper = createScraper({
    endpoints: urls.map((url) => ({ url, shownUrl: redactUrl(url) })),
    everyNs,
    ca: caOf(spec.target, ports.readText),
    clock: ports.clock,
    onScrape: (scrape) => folder.appendScrape({ ...scrape }),
  });
  const points: ServerPoint[] = [];
  return {
    async around(pointIndex, load) {
      const { result, scrapes } = await scraper.around(pointIndex, load);
      points.push(serverPoint(pointIndex, scrapes));
      const report: ServerReport = { schemaVersion: 1, everyNs, points };
      await folder.writeServer(JSON.parse(JSON.stringify(report)) as JsonValue);
      return result;
    },
    points: () => points,
    close: () => scraper.close(),
  };
}

async function ownMetrics(
  target: TargetSpec,
  ports: Pick<ExperimentPorts, 'clock' | 'readText' | 'notify'>,
): Promise<string | null> {
  const found = await findMetrics(target, ports);
  if (found === null) {
    const text =
      'metrics: the target shows none of a known engine; name their URL to see the servers’ side';
    ports.notify({ kind: 'note', text });
  }
  return found?.url ?? null;
}

/** Asks the target's own address; `null` when it shows no metrics of a known engine there. */
export async function findMetrics(
  target: TargetSpec,
  ports: Pick<ExperimentPorts, 'clock' | 'readText'>,
): Promise<FoundMetrics | null> {
  // A socket and a proxy are ways to the API; where the engine is, nobody said.
  if (target.unixSocket !== null || target.proxy !== null) return null;
  const agent = metricsAgent(caOf(target, ports.readText));
  try {
    for (const path of METRICS_PATHS) {
      const url = new URL(path, target.url).href;
      const { text } = await fetchMetrics(agent, url, ports.clock);
      const reading = text === null ? null : readScrape(text);
      if (reading !== null) return { url, engine: reading.engine };
    }
    return null;
  } finally {
    agent.destroy().catch(() => {});
  }
}

function caOf({ caFile }: TargetSpec, readText: ExperimentPorts['readText']): string | null {
  return caFile === null ? null : readText(caFile);
}

/**
 * What the servers said of a stored run, by load point; empty when it looked at none.
 * Errors: ProblemsError when this version cannot read it.
 */
export async function storedServer(
  run: Pick<OpenRun, 'dir' | 'serverText'>,
): Promise<readonly ServerPoint[]> {
  const text = await run.serverText();
  if (text === null) return [];
  const report = reportOf(text);
  if (report?.schemaVersion === 1 && Array.isArray(report.points)) return report.points;
  throw new ProblemsError([
    {
      code: 'E_RUN_FORMAT',
      message: `${printable(run.dir)} holds metrics that this version cannot read`,
      hint: 'delete its server.json to see the run without them',
      place: null,
    },
  ]);
}

function reportOf(text: string): Partial<ServerReport> | null {
  try {
    return JSON.parse(text) as Partial<ServerReport> | null;
  } catch {
    return null;
  }
}
