/** The report page as browsers show it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { htmlReport } from '../../src/report/index.ts';
import { paretoOf } from '../../src/planner/index.ts';
import { paretoDraws } from '../../src/experiment/index.ts';
import { emptyFolder } from '../support/built-command.ts';
import { noBrowser, openBrowser } from '../support/chromium.ts';
import { reportedRun, reportOf, toySweep } from '../support/html-reports.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { failedEnd, recordOf } from '../support/record-builder.ts';
import { pointOf } from '../support/summary-builder.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVIL = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202e</style>`;

interface Seen {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

if (noBrowser !== null) it.skip(`the report page: ${noBrowser}`, () => {});

describe.skipIf(noBrowser !== null)('the report page', () => {
  let browser: Browser;
  const files = new Map<string, string>();

  beforeAll(async () => {
    browser = await openBrowser();
    const dir = emptyFolder();
    const store = (name: string, html: string): void => {
      const path = join(dir, `${name}.html`);
      writeFileSync(path, html);
      files.set(name, pathToFileURL(path).href);
    };
    const sweep = await toySweep([2, 8, 12]);
    const axes = { gain: 'outputTokens', latency: 'tpotP50' } as const;
    const draws = paretoDraws(sweep.summary, null);
    const page = await htmlReport({
      runs: [sweep],
      comparison: null,
      notCompared: null,
      pareto: paretoOf(draws, { axes, drawsAsked: 1, gpus: null }),
      toolVersion: 'test',
    });
    store('sweep', page.html);
    store('single', (await reportOf(await toySweep([5]))).html);
    store('two', (await reportOf(await toySweep([5]), await toySweep([8]))).html);
    store('hostile', (await reportOf(await hostileRun())).html);
  }, 120_000);
  afterAll(() => browser.close());
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

  async function open(name: string, options: BrowserContextOptions = {}): Promise<Seen> {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(files.get(name) ?? '');
    return { page, problems, requests };
  }

  it.each([
    [
      'sweep',
      ['Verdict', 'Validity', 'All loads', 'Throughput against latency', 'What was measured'],
    ],
    ['single', ['Verdict', 'Validity', 'Load: open loop, Poisson 5/s', 'What was measured']],
    ['two', ['The runs']],
  ])(
    'of %s has every section, asks for nothing and complains of nothing',
    async (name, expected) => {
      const { page, problems, requests } = await open(name);
      const titles = await page.locator('main > section > h2').allInnerTexts();
      expect(titles).toEqual(expect.arrayContaining(expected));
      expect(problems).toEqual([]);
      expect(requests).toEqual([files.get(name)]);
    },
  );

  it('is whole with scripts off, and its figures can be taken away', async () => {
    const { page, problems } = await open('single', { javaScriptEnabled: false });
    expect(await page.locator('svg').count()).toBeGreaterThanOrEqual(6);
    expect(await page.locator('button:visible').count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#ttft a', { hasText: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('ttft.csv');
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toMatch(/^series,TTFT from planned,share at or below\n/);
    expect(problems).toEqual([]);
  });

  it('gives each chart as a picture when scripts are on', async () => {
    const { page, problems } = await open('single');
    for (const [kind, start] of [
      ['svg', '<svg'],
      ['png', '\u0089PNG'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`#tpot [data-save=${kind}]`).click(),
      ]);
      expect(readFileSync(await download.path(), 'latin1').startsWith(start)).toBe(true);
    }
    expect(problems).toEqual([]);
  });

  it('shows hostile names and errors as text and nothing more', async () => {
    const { page, problems } = await open('hostile');
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('body').innerText()).toContain('<img src=x');
    expect(problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no fault that axe knows, %s', async (colorScheme) => {
    // Colours are those of one page; what is on it differs.
    const names = colorScheme === 'light' ? ['single', 'sweep', 'two'] : ['single'];
    for (const name of names) {
      const { page } = await open(name, { colorScheme });
      // What is folded away is the same for every load; one page with all of it is enough.
      if (name === 'single') await openAll(page);
      await page.evaluate(AXE);
      const faults = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`))',
      );
      expect(faults, name).toEqual([]);
    }
  });

  it.each([400, 1400])('fits a screen of %i pixels and keeps labels apart', async (width) => {
    for (const name of ['single', 'sweep', 'two']) {
      const { page } = await open(name, { viewport: { width, height: 800 } });
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(over, name).toBeLessThanOrEqual(0);
      expect(await overlaps(page), name).toEqual([]);
    }
  });

  it('switches between light and dark', async () => {
    const { page } = await open('single', { colorScheme: 'light' });
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await colour();
    await page.locator('[data-action=theme]').click();
    expect(await colour()).not.toBe(before);
  });
});

function openAll(page: Page): Promise<unknown> {
  return page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
}

/** Pairs of tick labels of one chart that cover each other, and labels that are cut off. */
async function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(OVERLAPS);
}

/** Text of the page's own language: the compiler of these tests knows no document. */
const OVERLAPS = `(() => {
  const bad = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    const boxes = [...svg.querySelectorAll('text')].map((text) => ({
      text: text.textContent,
      box: text.getBoundingClientRect(),
      isTick: text.classList.contains('tick'),
    }));
    for (const { text, box } of boxes) {
      if (box.left < frame.left - 2 || box.right > frame.right + 16) bad.push('cut: ' + text);
    }
    const ticks = boxes.filter(({ isTick }) => isTick);
    for (const [at, one] of ticks.entries()) {
      for (const other of ticks.slice(at + 1)) {
        const isApart =
          one.box.right <= other.box.left + 1 ||
          other.box.right <= one.box.left + 1 ||
          one.box.bottom <= other.box.top + 3 ||
          other.box.bottom <= one.box.top + 3;
        if (!isApart) bad.push(one.text + ' over ' + other.text);
      }
    }
  }
  return bad;
})()`;

async function hostileRun() {
  const records = [
    recordOf({ labels: { tenant: EVIL, model: EVIL } }),
    recordOf({ scheduleIndex: 1, plannedNs: 1e9, end: failedEnd('httpStatus'), arrivalsNs: [] }),
  ];
  const run = await reportedRun(records, [pointOf({ label: EVIL, stopReason: EVIL })], EVIL);
  const manifest = manifestOf({
    prefixCache: EVIL,
    spec: `name: ${EVIL}\nnext: line`,
    facts: { ...manifestOf().facts, model: { from: 'measured', value: EVIL } },
    target: { url: EVIL, api: 'chat', stream: true },
  });
  return { ...run, manifest };
}
