import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds, type Problem } from '../base/index.ts';
import type { Objective } from './objective.ts';
import { objectiveText, parseObjective } from './objective-expression.ts';
import { plainObjective } from './objective-defaults.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems.map((p) => p.message).join('\n'));
  return parsed.objective;
}

function problemsOf(text: string): readonly Problem[] {
  const parsed = parseObjective(text);
  return 'problems' in parsed ? parsed.problems : [];
}

/** `message / hint` of the only problem. */
function problemOf(text: string): string {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  return `${problems[0]!.message} / ${problems[0]!.hint}`;
}

describe('an objective expression', () => {
  it('says the whole of an objective', () => {
    const objective = objectiveOf(
      `ttft<=500ms, ttft[4k-16k]<=2s, ttft[64k+]<=8s, tpotObserved<=40ms, gap<=600ms,
       gap[p99]<=200ms, firstAnswer<=5s, e2e<=30s, output<=1k, attainment>=95%, success>=99.5%, worst(tenant)>=0.9,
       p99(ttft)<=500ms, median(tpot)<=40ms, p99.9(gap)<=1s, finish=stop|length,
       counts=answer|reasoning, needs=answer, from=dispatch, terminal=strict, perspective=buyer,
       timedOut=censored, period=30d`,
    );
    expect(objective).toEqual({
      ...plainObjective('inline'),
      request: {
        counts: ['answer', 'reasoning'],
        from: 'dispatch',
        ttft: [
          { fromTokens: 0, toTokens: 4_000, limitNs: nsFromMs(500) },
          { fromTokens: 4_000, toTokens: 16_000, limitNs: nsFromSeconds(2) },
          { fromTokens: 16_000, toTokens: 64_000, limitNs: nsFromMs(500) },
          { fromTokens: 64_000, toTokens: null, limitNs: nsFromSeconds(8) },
        ],
        firstAnswerNs: nsFromSeconds(5),
        tpot: { limitNs: nsFromMs(40), basis: 'observed' },
        gapMaxNs: nsFromMs(600),
        gapQuantile: { q: 0.99, limitNs: nsFromMs(200) },
        e2eNs: nsFromSeconds(30),
        outputTokensMax: 1_000,
        correctness: {
          finish: ['stop', 'length'],
          needs: ['answer'],
          strictTerminal: true,
          checks: [],
        },
      },
      population: {
        attainmentShare: 0.95,
        successShare: 0.995,
        quantiles: [
          { measure: 'ttft', q: 0.99, limitNs: nsFromMs(500) },
          { measure: 'tpot', q: 0.5, limitNs: nsFromMs(40) },
          { measure: 'gap', q: 0.999, limitNs: nsFromSeconds(1) },
        ],
        worst: { by: 'tenant', attainmentShare: 0.9 },
        periodNs: nsFromSeconds(30 * 86_400),
      },
      perspective: 'buyer',
      timedOut: 'censored',
    });
  });

  it('may be spaced freely, end in a comma and carry a name', () => {
    const parsed = parseObjective(' ttft <= 500ms ,\n tpot<=40ms, ', { name: 'mine' });
    expect('objective' in parsed && parsed.objective.name).toBe('mine');
    expect(objectiveOf('gap[ p99 ] <= 1s').request.gapQuantile?.q).toBe(0.99);
  });

  it('lets tool calls end and be the answer where they count', () => {
    const { correctness } = objectiveOf('counts=answer|toolCall').request;
    expect(correctness.finish).toEqual(['stop', 'toolCalls']);
    expect(correctness.needs).toEqual(['answer', 'toolCall']);
    expect(objectiveOf('counts=answer|toolCall, finish=stop').request.correctness.finish).toEqual([
      'stop',
    ]);
  });

  it.each([
    ['ttft<=500', '"500" is not a duration above 0 / 500ms or 500s?'],
    ['ttft<=0ms', '"0ms" is not a duration above 0 / write 500ms, 0.5s or 2m'],
    ['ttft<=', 'a duration above 0 is missing / write 500ms, 0.5s or 2m'],
    ['ttft<500ms', '"<" does not compare here / limits are inclusive: write <='],
    ['attainment>95%', '">" does not compare here / limits are inclusive: write >='],
    ['ttft:500ms', '":" does not compare here / write <=, as in ttft<=500ms'],
    ['attainment<=95%', '"<=" does not compare here / write >=, as in attainment>=95%'],
    ['attainment>=95', '"95" is not a share between 0 and 1 / write 95% or 0.95'],
    ['success>=99.5', '"99.5" is not a share between 0 and 1 / write 99.5% or 0.995'],
    ['success>=101%', '"101%" is not a share between 0 and 1 / write 95% or 0.95'],
    ['tfft<=500ms', 'there is no "tfft" / did you mean ttft?'],
    ['TTFT<=500ms', 'there is no "TTFT" / did you mean ttft?'],
    ['itl<=50ms', 'there is no "itl" / gaps between chunks are gap<=600ms'],
    ['zzz<=1', 'there is no "zzz" / known are ttft, gap, tpot,'],
    ['ttft', 'a term is a name, a comparison and a value / write it like ttft<=500ms'],
    ['ttft<=1s x', '"1s x" is not a duration'],
    ['ttft[16k-4k]<=1s', '"16k-4k" is not a range of prompt tokens / write [4k-16k], or [64k+]'],
    ['tpot[4k+]<=1s', 'tpot takes no […] / write it like tpot<=40ms'],
    ['e2e(ttft)<=1s', 'e2e takes no (…) / write it like e2e<=30s'],
    [
      'p99(tttft)<=1s',
      '"tttft" is not a latency of ttft, firstAnswer, tpot, gap, e2e / did you mean ttft?',
    ],
    [
      'p99<=1s',
      'a latency of ttft, firstAnswer, tpot, gap, e2e is missing / write ttft, firstAnswer, tpot, gap, e2e',
    ],
    ['p0(ttft)<=1s', '"p0" is not a quantile above p0'],
    ['gap[99]<=1s', '"99" is not a quantile above p0, up to p100 / write p99'],
    ['worst(tenent)>=90%', '"tenent" is not a label of tenant, class / did you mean tenant?'],
    ['finish=stop|lenght', '"lenght" is not one of stop, length,'],
    ['needs=', 'one of answer, reasoning, refusal, toolCall is missing'],
    ['output<=1.5', '"1.5" is not a token count above 0 / write 1000 or 1k'],
    ['from=planed', 'did you mean planned?'],
    ['', 'the objective is empty'],
    ['ttft<=1s, ttft<=2s', '"ttft<=1s" already says this / keep one of the two'],
    ['tpot<=1s, tpotObserved<=2s', '"tpot<=1s" already says this'],
    ['p50(e2e)<=1s, median(e2e)<=2s', '"p50(e2e)<=1s" already says this'],
    ['ttft[4k-16k]<=2s', 'prompts of 0-4k and 16k+ tokens have no limit / add ttft<=…'],
    ['ttft[0-4k]<=2s, ttft[2k+]<=3s', 'its range overlaps "ttft[0-4k]<=2s"'],
    ['ttft[0-4k]<=2s, ttft[4k+]<=3s, ttft<=1s', 'the ranges already hold every prompt length'],
  ])('is told what is wrong with %s', (text, expected) => {
    expect(problemOf(text)).toContain(expected);
  });

  it('reports all problems at once, each with its column', () => {
    const problems = problemsOf('ttft<500, tpott<=40ms,  attainment>=95');
    expect(problems.map((problem) => problem.message.split(':')[0])).toEqual([
      'objective term "ttft<500", column 1',
      'objective term "ttft<500", column 1',
      'objective term "tpott<=40ms", column 11',
      'objective term "attainment>=95", column 25',
    ]);
    expect(problems.map((problem) => problem.place)).toEqual([null, null, null, null]);
    expect(problems.map((problem) => problem.code)).toEqual([
      'E_OBJECTIVE_SYNTAX',
      'E_OBJECTIVE_VALUE',
      'E_OBJECTIVE_SYNTAX',
      'E_OBJECTIVE_VALUE',
    ]);
  });

  it('counts columns from where it stands in a file', () => {
    const place = { file: 'run.yaml', line: 7, column: 6 };
    const parsed = parseObjective('ttft<=1s, tpot<=40', { place });
    expect('problems' in parsed && parsed.problems[0]?.place).toEqual({ ...place, column: 16 });
  });

  it('does not call a mistyped range a hole', () => {
    expect(problemOf('ttft[0-4k]<=1s, ttft[4k-16q]<=2s')).toContain('"4k-16q"');
  });

  it('cannot drive the terminal that shows its faults', () => {
    expect(problemOf('\u001b[31mttft<=1s')).not.toContain('\u001b');
  });
});

describe('the canonical text', () => {
  it.each([
    'ttft<=500ms, tpot<=40ms, attainment>=95%',
    'ttft[0-4k]<=500ms, ttft[4k+]<=2s, tpotObserved<=40ms, gap<=600ms, gap[p50]<=100ms',
    'e2e<=30s, output<=1k, success>=99.95%, worst(class)>=90%, median(tpot)<=40ms, p99.9(ttft)<=1s',
    'finish=stop|length, counts=answer, needs=reasoning, from=dispatch, terminal=strict',
    'perspective=buyer, timedOut=censored, period=30d',
  ])('of %s is itself', (text) => {
    expect(objectiveText(objectiveOf(text))).toBe(text);
  });

  it('of an objective without limits says what correctness demands', () => {
    expect(objectiveText(plainObjective())).toBe('needs=answer');
    expect(objectiveOf('needs=answer')).toEqual(plainObjective('inline'));
  });
});
