import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import type { ServerError } from '../record/index.ts';
import { classifyOutcome, matchingRefusal } from './classify-outcome.ts';
import type { RefusalRule } from './objective.ts';
import { DEFAULT_REFUSALS } from './objective-defaults.ts';

const outcome = (options: RecordOptions, rules: readonly RefusalRule[] = DEFAULT_REFUSALS) =>
  classifyOutcome(recordOf(options), rules);

const httpError = (httpStatus: number, error: Partial<ServerError> = {}): RecordOptions => ({
  end: failedEnd('httpStatus', { httpStatus, ...error }),
  httpStatus,
  arrivalsNs: [],
});

describe('the outcome of a request', () => {
  it('follows the transport where no rule speaks', () => {
    expect(outcome({})).toBe('completed');
    expect(outcome({ dropped: 'ceiling' })).toBe('dropped');
    expect(outcome({ notReached: true })).toBe('notReached');
    expect(outcome({ end: { kind: 'timedOut', deadlineNs: 9 } })).toBe('timedOut');
    expect(outcome({ end: { kind: 'cancelled', atNs: 9 } })).toBe('cancelled');
    expect(outcome({ end: failedEnd('connect'), arrivalsNs: [] })).toBe('failed');
  });

  it('is refused for a 429 that names a quota', () => {
    expect(outcome(httpError(429, { evidence: ['quota'] }))).toBe('refused');
  });

  it.each([429, 503])('is failed for a %i without evidence: that is overload', (status) => {
    expect(outcome(httpError(status))).toBe('failed');
    expect(outcome({ ...httpError(status), end: failedEnd('httpStatus') })).toBe('failed');
  });

  it('is failed for a 503 whatever quota its body names, for no rule says otherwise', () => {
    expect(outcome(httpError(503, { evidence: ['quota'] }))).toBe('failed');
  });

  it('is refused for a prompt longer than the context, by code, by type or by evidence', () => {
    expect(outcome(httpError(400, { code: 'context_length_exceeded' }))).toBe('refused');
    expect(outcome(httpError(400, { type: 'context_length_exceeded' }))).toBe('refused');
    expect(outcome(httpError(400, { evidence: ['contextLength'] }))).toBe('refused');
  });

  it.each([400, 401, 404])('is failed for our own fault, a %i', (status) => {
    expect(outcome(httpError(status, { code: 'invalid_request' }))).toBe('failed');
  });

  it('is failed once anything was served, whatever the error says', () => {
    const served = { ...httpError(429, { evidence: ['quota'] }), arrivalsNs: [100] };
    expect(outcome(served)).toBe('failed');
  });

  it('is never refused by a rule that names a status and no evidence', () => {
    const statusOnly = [{ status: 429, body: null, code: null }];
    expect(outcome(httpError(429, { evidence: ['quota'] }), statusOnly)).toBe('failed');
  });

  it('demands every part of a rule and takes the first rule that matches', () => {
    const byBoth = { status: 429, body: 'quota', code: 'insufficient_quota' };
    const byBody = { status: null, body: 'quota', code: null };
    const record = recordOf(httpError(429, { evidence: ['quota'], code: 'other' }));
    expect(matchingRefusal(record, [byBoth])).toBeNull();
    expect(matchingRefusal(record, [byBoth, byBody])).toBe(byBody);
  });
});
