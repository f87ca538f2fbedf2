/**
 * Length distributions: CSV `tokens,weight`, or a cumulative curve in JSON, `[[tokens, share], …]`
 * by itself or under `cdf`.
 */
import { z } from 'zod';
import type { LengthDistribution } from '../workload/index.ts';
import { readCsvRows } from './csv-rows.ts';
import type { Imported } from './import-result.ts';
import { parseJson, placeInJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';

type Values = Extract<LengthDistribution, { kind: 'empirical' }>['values'];

const CURVE = z.array(z.tuple([z.int().min(1), z.number().min(0).max(1)])).min(1);

/** A curve rounded to three digits may end at 0.9995; one that ends lower leaves requests out. */
const CURVE_END_SHARE = 0.999;

/**
 * Reads a whole file. A curve says which share is *at most* so many tokens, so draws give the
 * upper end of each step: lengths are rounded up to the curve's own points.
 */
export function parseLengthFile(
  text: string,
  { file }: { readonly file: string },
): Imported<LengthDistribution> {
  const problems = new ProblemList(file);
  const source = text.replace(/^\ufeff/, '');
  const values = /^\s*[[{]/.test(source)
    ? curveValues(source, problems)
    : weightedValues(source, problems);
  if (problems.count === 0 && values.every(({ weight }) => weight === 0)) {
    addProblem(problems, { line: 1, column: 1 }, 'no length has a weight above 0');
  }
  return problems.count > 0
    ? { kind: 'problems', problems: problems.toProblems() }
    : { kind: 'imported', value: { kind: 'empirical', values }, notes: [] };
}

function weightedValues(text: string, problems: ProblemList): Values {
  const rows = readCsvRows(text, ['tokens', 'weight'], { problems, code: 'E_TRACE_FORMAT' });
  return rows.map((row) => {
    const { line, field, columnOf } = row;
    const tokens = Number(field.tokens);
    const weight = Number(field.weight);
    if (!/^\d{1,9}$/.test(field.tokens) || tokens < 1) {
      const place = { line, column: columnOf('tokens') };
      addProblem(problems, place, 'tokens is not a whole number, 1 or more');
    }
    if (field.weight === '' || !(weight >= 0 && Number.isFinite(weight))) {
      addProblem(problems, { line, column: columnOf('weight') }, 'weight is not a number ≥ 0');
    }
    return { tokens, weight };
  });
}

function curveValues(text: string, problems: ProblemList): Values {
  const parsed = parseJson(text);
  if (parsed.kind === 'invalid') {
    addProblem(problems, parsed.place, 'not valid JSON');
    return [];
  }
  const isList = Array.isArray(parsed.value);
  const base = isList ? [] : ['cdf'];
  const checked = CURVE.safeParse(isList ? parsed.value : (parsed.value as { cdf?: unknown }).cdf);
  if (!checked.success) {
    for (const issue of checked.error.issues) {
      const place = placeInJson(text, [...base, ...(issue.path as (string | number)[])]);
      addProblem(problems, place, `expected [tokens, share]: ${issue.message}`);
    }
    return [];
  }
  const values: { tokens: number; weight: number }[] = [];
  let [lastTokens, lastShare] = [0, 0];
  for (const [index, [tokens, share]] of checked.data.entries()) {
    if (tokens <= lastTokens || share < lastShare) {
      addProblem(problems, placeInJson(text, [...base, index]), 'a cumulative curve only rises');
    }
    if (share > lastShare) values.push({ tokens, weight: share - lastShare });
    [lastTokens, lastShare] = [tokens, share];
  }
  if (lastShare < CURVE_END_SHARE) {
    const place = placeInJson(text, [...base, checked.data.length - 1]);
    addProblem(problems, place, `the curve ends at ${lastShare}, not at 1`);
  }
  return values;
}

function addProblem(
  problems: ProblemList,
  place: { readonly line: number; readonly column: number },
  message: string,
): void {
  const hint = 'a length file is CSV tokens,weight or JSON [[tokens, cumulative share], …]';
  problems.add({ code: 'E_TRACE_FORMAT', ...place, message, hint });
}
