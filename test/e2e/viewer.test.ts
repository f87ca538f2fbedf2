/** `goodput view` as browsers and other programs meet it. */
import { request as httpRequest } from 'node:http';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRealClock, nsFromMs } from '../../src/base/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import { type Objective, parseObjective } from '../../src/slo/index.ts';
import { summarise } from '../../src/summary/index.ts';
import { type RunShelf, startViewServer, type ViewServer } from '../../src/viewer/index.ts';
import { noBrowser, openBrowser } from '../support/chromium.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { recordOf } from '../support/record-builder.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVIL = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const OBJECTIVE = objectiveOf('ttft<=200ms, tpot<=30ms, attainment>=95%');

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

/** 200 requests, their first tokens after 1 ms, 2 ms, … 200 ms. */
const RECORDS: readonly RequestRecord[] = Array.from({ length: 200 }, (_, index) => {
  const plannedNs = nsFromMs(50 * index);
  const first = plannedNs + nsFromMs(index + 1);
  const arrivalsNs = [first, first + nsFromMs(20)];
  return recordOf({ scheduleIndex: index, plannedNs, arrivalsNs });
});

/** Three runs: one like any other, one with a hostile name, one that goes on. */
function memoryShelf(growing: RequestRecord[]): RunShelf {
  const manifest = manifestOf();
  const hostile = manifestOf({
    facts: { ...manifest.facts, model: { from: 'declared', value: EVIL } },
  });
  const summary = summarise({
    objective: OBJECTIVE,
    correctness: OBJECTIVE,
    toolVersion: 'test',
    experimentHash: manifest.experimentHash,
    source: 'measured',
    clock: 'client',
    prefixCache: 'unique',
    exactOutput: false,
    points: manifest.points,
    records: RECORDS,
  });
  let read = 0;
  return {
    names: async () => ['plain', EVIL, 'running'],
    open: async (name) => ({
      name,
      manifest: name === 'plain' ? manifest : hostile,
      summary: name === 'running' ? null : summary,
    }),
    objectiveOf: async () => OBJECTIVE,
    async *records() {
      yield* RECORDS;
    },
    follow: () => ({
      async *next() {
        yield* growing.slice(read);
        read = growing.length;
      },
    }),
    report: async (names) => `<!doctype html><title>report of ${names.length}</title>`,
  };
}

let server: ViewServer;
const growing: RequestRecord[] = RECORDS.slice(0, 5);
beforeAll(async () => {
  const shelf = memoryShelf(growing);
  server = await startViewServer({
    shelf,
    clock: createRealClock(),
    port: 0,
    token: 'secret',
    toolVersion: 'test',
  });
});
afterAll(() => server.close());

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** As a program that sends the path as it is, which `fetch` does not. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answered> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the server', () => {
  it('answers on the loopback address alone', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  });

  it('refuses other names of itself, other methods and what no page of it asked', async () => {
    expect((await ask('/', { host: 'evil.example' })).status).toBe(421);
    const posted = await ask('/', {}, 'POST');
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/run/plain/what-if?ttft=100', '/run/running/live']) {
      expect((await ask(path)).status).toBe(403);
      expect(
        (await ask(path, { 'x-goodput-token': 'secret', 'sec-fetch-site': 'cross-site' })).status,
      ).toBe(403);
      expect((await ask(path, { 'x-goodput-token': 'secret' })).status).toBe(200);
    }
  });

  it('tells its token to no question that it refuses', async () => {
    expect((await ask('/')).body).toContain('secret');
    expect((await ask('/', { host: 'evil.example' })).body).not.toContain('secret');
    expect((await ask('/nowhere')).body).not.toContain('secret');
  });

  it.each([
    '/run/../../etc/passwd',
    '/run/%2e%2e%2f%2e%2e%2fetc',
    '/run/..%5c..',
    '/../etc/passwd',
    '/run/plain/../../x',
    '/run/%00',
    '/compare?run=../x',
    '/run/plain%2f..',
  ])('opens nothing but its runs: %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('survives an address that is none', async () => {
    expect((await ask('/run/%zz')).status).toBe(400);
    expect((await ask('/compare')).status).toBe(400);
  });

  it('answers HEAD without a body, and lets nobody frame or keep its pages', async () => {
    const { status, body, headers } = await ask('/', {}, 'HEAD');
    expect([status, body]).toEqual([200, '']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('asks the one judge', async () => {
    const { body } = await ask('/run/plain/what-if?ttft=100&attainment=50', {
      'x-goodput-token': 'secret',
    });
    const { rows, sentence } = JSON.parse(body) as { rows: string[][]; sentence: string };
    expect(rows[0]?.[2]).toContain('50.0 %');
    expect(rows[0]?.[4]).toBe('ttft 100 (100 alone)');
    expect(sentence).toContain('attained 50.0 % of 200, target 50.0 % met');
  });
});

if (noBrowser !== null) it.skip(`the viewer's pages: ${noBrowser}`, () => {});

describe.skipIf(noBrowser !== null)("the viewer's pages", () => {
  let browser: Browser;
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(problems.splice(0)).toEqual([]);
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) problems.push(`asked for ${request.url()}`);
    });
    await page.goto(new URL(path, server.url).href);
    return page;
  }

  it('find, open and compare runs', async () => {
    const page = await open('/');
    expect(await page.locator('tbody tr').count()).toBe(3);
    await page.getByRole('searchbox').fill('plain');
    expect(await page.locator('tbody tr:visible').count()).toBe(1);
    expect(await page.getByRole('status').textContent()).toBe('1 of 3 runs');
    await page.getByRole('searchbox').press('Enter');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.goto(server.url);
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL(/compare/);
    expect(await page.title()).toBe('report of 3');
  });

  it('move attainment with a limit, by keyboard too', async () => {
    const page = await open('/run/plain');
    const status = page.getByRole('status');
    expect(await status.textContent()).toContain('attained 100.0 % of 200');
    await page.getByRole('spinbutton', { name: 'TTFT at most, ms' }).fill('150');
    await expect.poll(() => status.textContent()).toContain('attained 75.0 % of 200');
    await page.getByRole('slider', { name: 'TPOT at most, ms' }).press('Home');
    await expect.poll(() => status.textContent()).toContain('attained 0.0 % of 200');
    await page.getByRole('button', { name: 'As measured' }).click();
    await expect.poll(() => status.textContent()).toContain('attained 100.0 % of 200');
  });

  it('follow a run while it writes', async () => {
    const page = await open('/run/running');
    await expect.poll(() => page.locator('tbody').textContent()).toContain('100.0 %');
    growing.push(...RECORDS.slice(5, 60));
    await expect
      .poll(() => page.getByRole('status').textContent(), { timeout: 10_000 })
      .toContain('60 requests so far');
  });

  it('let a hostile name be text and nothing else', async () => {
    for (const path of [
      '/',
      `/run/${encodeURIComponent(EVIL)}`,
      `/?q=${encodeURIComponent(EVIL)}`,
    ]) {
      const page = await open(path);
      expect(await page.title()).not.toBe('owned');
      expect(await page.locator('img').count()).toBe(0);
    }
  });

  it.each([
    [400, 'dark'],
    [1400, 'light'],
  ] as const)(
    'are accessible and need no sideways scrolling at %i px, %s',
    async (width, colorScheme) => {
      for (const path of ['/', '/run/plain', '/run/running']) {
        const page = await open(path, { viewport: { width, height: 800 }, colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          width,
        );
        await page.evaluate(AXE_RUNNER);
        const found = await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))',
        );
        expect(found).toEqual([]);
      }
    },
  );
});

const AXE_RUNNER = `${AXE}; void 0`;

describe('goodput view', () => {
  it('says what it needs', async () => {
    const { exitCode, stderr } = await runBuilt(['view', emptyFolder()]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('there is no run in this folder'),
    ]);
  });

  it('serves a stored run and ends at Ctrl-C', async () => {
    const cwd = emptyFolder();
    const flags = [
      '--rate',
      '5',
      '--duration',
      '5s',
      '--input',
      '100',
      '--output',
      '10',
      '--exact',
    ];
    await runBuilt(['simulate', ...flags, '--slo', 'ttft<=1s', '--out', 'runs/one', '--quiet'], {
      cwd,
    });
    const { child, outcome } = startCommand(['view', 'runs'], { cwd });
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    });
    expect(await (await fetch(url)).text()).toContain('href="/run/one"');
    expect((await fetch(`${url}run/one`)).status).toBe(200);
    const report = await (await fetch(`${url}run/one/report`)).text();
    expect(report).toContain('<h1>');
    child.kill('SIGINT');
    expect((await outcome).exitCode).toBe(0);
  });
});
