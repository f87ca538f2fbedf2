import { describe, expect, it } from 'vitest';
import { changeChart, ganttChart, partsChart, standaloneSvg, xyChart } from '../../src/charts/index.ts';
import { expectGolden } from '../support/golden.ts';
import { reportOf, toySweep } from '../support/html-reports.ts';

const plain = (value: number): string => String(value);

describe('the charts of a report', async () => {
  const sweep = await reportOf(await toySweep());
  const single = await reportOf(await toySweep([5]));

  it.each(['load-goodput', 'load-attainment', 'load-tokens', 'loads-ttft', 'p0-in-flight'])(
    '%s of a sweep is as stored',
    (name) => {
      const chart = sweep.charts.find((one) => one.name === name);
      expectGolden(`charts/sweep-${name}.svg`, chart === undefined ? '' : standaloneSvg(chart));
    },
  );

  it.each(['ledger', 'ttft', 'tpot', 'gap', 'requests', 'requests-close'])(
    '%s of one load is as stored',
    (name) => {
      const chart = single.charts.find((one) => one.name === name);
      expectGolden(`charts/single-${name}.svg`, chart === undefined ? '' : standaloneSvg(chart));
    },
  );

  it('have names of their own', () => {
    const names = sweep.charts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('charts of little or odd data', () => {
  const labels = { name: 'x', title: 'X', description: 'Shows x.' };
  const axis = { name: 'load', kind: 'linear', format: plain } as const;

  it('draw nothing where there is nothing, and break where nothing was observed', () => {
    const empty = xyChart({ ...labels, x: axis, y: axis, series: [], references: [] });
    expect(empty.svg.text).not.toMatch(/NaN|Infinity|undefined/);
    const points = [1, 2, 3, 4].map((x) => ({ x, y: x === 3 ? null : x }));
    const holed = xyChart({
      ...labels,
      x: axis,
      y: axis,
      series: [{ name: 's', draw: 'line', dots: true, points }],
      references: [],
    });
    expect(holed.svg.text.match(/ d="([^"]*)"/)?.[1]?.match(/M/g)).toHaveLength(2);
    expect(holed.table.rows[2]).toEqual(['s', 3, null]);
  });

  it('keep zero and below off a logarithmic axis', () => {
    const points = [0, 1, 1_000].map((x, at) => ({ x, y: at / 2 }));
    const { svg } = xyChart({
      ...labels,
      x: { ...axis, kind: 'log' },
      y: axis,
      series: [{ name: 's', draw: 'steps', dots: false, points }],
      references: [],
    });
    expect(svg.text).not.toMatch(/NaN|Infinity/);
  });

  it('of nothing at all are sound', () => {
    const texts = [
      partsChart({ ...labels, parts: [{ name: 'completed', count: 0, tone: 's0' }] }),
      ganttChart({ ...labels, x: axis, rows: [] }),
      changeChart({ ...labels, x: axis, rows: [] }),
    ].map(({ svg }) => svg.text);
    for (const text of texts) expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('show one miss in a million', () => {
    const { svg } = partsChart({
      ...labels,
      parts: [
        { name: 'completed', count: 1_000_000, tone: 's0' },
        { name: 'failed', count: 1, tone: 'bad' },
      ],
    });
    expect(Number(/class="fill bad" x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="30"/.exec(svg.text)?.[1])).toBeGreaterThanOrEqual(2);
  });

  it('draw a change with its interval on its side of the line, and keep its true figures', () => {
    const row = { name: 'ttft', low: 0.1, high: 5, tone: 'bad', tip: '' };
    const { svg, table } = changeChart({ ...labels, x: axis, rows: [{ ...row, change: 2 }] });
    expect(table.rows).toEqual([['ttft', 2, 0.1, 5]]);
    const zero = Number(/class="axis" x1="([\d.]+)" x2="\1"/.exec(svg.text)?.[1]);
    const dot = Number(/<circle[^>]* cx="([\d.]+)"/.exec(svg.text)?.[1]);
    expect(dot).toBeGreaterThan(zero);
    expect(dot).toBeLessThanOrEqual(460);
  });
});
