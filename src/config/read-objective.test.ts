import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  bucketsBetween,
  objectivePreset,
  plainObjective,
  PRESET_NAMES,
  type Objective,
} from '../slo/index.ts';
import { parseObjectiveFile, readObjective } from './index.ts';
import { objectiveTree } from './objective-tree.ts';

const CONTEXT = {
  env: {},
  readFile(path: string): string {
    if (path !== 'chat.yaml') throw new Error(`ENOENT: no such file, open '${path}'`);
    return CANONICAL;
  },
};

/** The canonical chat objective of the definitions. */
const CANONICAL = `
name: chat
request: { ttft: { from: planned, counts: [answer, reasoning], buckets: { 1k: 500ms, 4k: 1s, 16k: 2.5s, 64k: 8s } }, tpot: 40ms, gapMax: 1s, finish: [stop] }
population: { attainment: 97%, success: 99.5%, period: 30d }
refusals: [ { status: 429, body: quota }, { status: 400, code: context_length_exceeded } ]
owner: team-serving
runbook: docs/runbooks/chat.md
rollback: "previous engine image"
`;

function objectiveOf(value: string): Objective {
  const read = readObjective(value, CONTEXT);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.objective;
}

function parse(text: string): Objective {
  const read = parseObjectiveFile(text, { file: 'objective.yaml', env: {} });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.objective;
}

describe('the full form', () => {
  test('the canonical chat objective is the preset with its people and rules', () => {
    const preset = objectivePreset('chat');
    expect(objectiveOf('@chat.yaml')).toEqual({
      ...preset,
      refusals: [
        { status: 429, body: 'quota', code: null },
        { status: 400, body: null, code: 'context_length_exceeded' },
      ],
      owner: 'team-serving',
      runbook: 'docs/runbooks/chat.md',
      rollback: 'previous engine image',
    });
  });

  test('an empty file asks for correctness alone', () => {
    expect(parse('')).toEqual(plainObjective('inline'));
  });

  test('each bucket key is where the bucket ends; the last limit holds beyond, unless said', () => {
    const limits = (buckets: string): unknown =>
      parse(`request: { ttft: { buckets: { ${buckets} } } }`).request.ttft;
    expect(limits('4k: 1s, 1k: 500ms')).toEqual([
      { fromTokens: 0, toTokens: 1000, limitNs: 5e8 },
      { fromTokens: 1000, toTokens: 4000, limitNs: 1e9 },
      { fromTokens: 4000, toTokens: null, limitNs: 1e9 },
    ]);
    expect(limits('1k: 500ms, 1k+: 2s')).toEqual([
      { fromTokens: 0, toTokens: 1000, limitNs: 5e8 },
      { fromTokens: 1000, toTokens: null, limitNs: 2e9 },
    ]);
  });

  test.each(PRESET_NAMES)('preset %s reads back from its keys', (name) => {
    const preset = objectivePreset(name);
    expect(objectiveOf(name)).toEqual(preset);
    expect(parse(stringify(objectiveTree(preset)))).toEqual(preset);
  });

  test('law: any objective reads back from its keys', () => {
    fc.assert(
      fc.property(anyObjective(), (objective) => {
        expect(parse(stringify(objectiveTree(objective)))).toEqual(objective);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the text forms', () => {
  test('an expression', () => {
    expect(objectiveOf('e2e<=30s').request.e2eNs).toBe(30e9);
  });

  test.each([
    ['chatt', 'E_OBJECTIVE_VALUE', 'did you mean chat?'],
    ['@nothing.yaml', 'E_FILE_READ', 'check the path after @'],
    ['ttft<500ms', 'E_OBJECTIVE_SYNTAX', 'limits are inclusive: write <='],
  ])('%s is refused with %s', (value, code, hint) => {
    expect(readObjective(value, CONTEXT)).toMatchObject({
      problems: [{ code, hint, place: null }],
    });
  });

  test('mistakes in a file are placed in that file', () => {
    const read = parseObjectiveFile('request:\n  tpott: 40ms\n  e2e: 30\n', {
      file: 'o.yaml',
      env: {},
    });
    expect(read).toMatchObject({
      problems: [
        { code: 'E_CONFIG_UNKNOWN_KEY', place: { file: 'o.yaml', line: 2, column: 3 } },
        { code: 'E_OBJECTIVE_VALUE', place: { file: 'o.yaml', line: 3, column: 8 } },
      ],
    });
  });
});

function anyObjective(): fc.Arbitrary<Objective> {
  const limitNs = fc.integer({ min: 1, max: 1e14 });
  const share = fc.integer({ min: 1, max: 1000 }).map((n) => n / 1000);
  const kinds = fc.subarray(['answer', 'reasoning', 'refusal', 'toolCall'] as const, {
    minLength: 1,
  });
  const ttft = fc
    .uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: 0, maxLength: 4 })
    .chain((edges) => {
      const buckets = bucketsBetween(edges.toSorted((a, b) => a - b));
      return fc.tuple(
        ...buckets.map((bucket) => limitNs.map((ns) => ({ ...bucket, limitNs: ns }))),
      );
    });
  return fc
    .record({
      counts: kinds,
      needs: kinds,
      from: fc.constantFrom('planned' as const, 'dispatch' as const),
      ttft: fc.option(ttft),
      tpot: fc.option(
        fc.record({ limitNs, basis: fc.constantFrom('any' as const, 'observed' as const) }),
      ),
      gapQuantile: fc.option(fc.record({ q: share, limitNs })),
      limit: fc.option(limitNs),
      attainment: fc.option(share),
      q: share,
      finish: fc.subarray(['stop', 'length', 'toolCalls', 'other'] as const, { minLength: 1 }),
      strictTerminal: fc.boolean(),
      perspective: fc.constantFrom('operator' as const, 'buyer' as const),
      timedOut: fc.constantFrom('miss' as const, 'censored' as const),
    })
    .map((any) => ({
      ...plainObjective('any'),
      request: {
        counts: any.counts,
        from: any.from,
        ttft: any.ttft,
        firstAnswerNs: any.limit,
        tpot: any.tpot,
        gapMaxNs: any.limit,
        gapQuantile: any.gapQuantile,
        e2eNs: any.limit,
        outputTokensMax: any.limit,
        correctness: {
          finish: any.finish,
          needs: any.needs,
          strictTerminal: any.strictTerminal,
          checks: [{ kind: 'regex', name: 'r', pattern: '^[a-z]+$' }],
        },
      },
      population: {
        attainmentShare: any.attainment,
        successShare: any.attainment,
        quantiles: [
          { measure: 'ttft', q: any.q, limitNs: 5 },
          { measure: 'firstAnswer', q: any.q, limitNs: 6 },
          { measure: 'e2e', q: 0.5, limitNs: 7 },
        ],
        worst: any.attainment === null ? null : { by: 'class', attainmentShare: any.attainment },
        periodNs: any.limit,
      },
      perspective: any.perspective,
      timedOut: any.timedOut,
    }));
}
