import { expect, test } from 'vitest';
import { records } from '../../test/support/made-validity.ts';
import { pointSummaryOf } from '../../test/support/summary-builder.ts';

/** Names and sizes of the strata by address, for requests that these peers answered in turn. */
function byAddress(peers: readonly (string | null)[]): readonly (readonly [string, number])[] {
  const made = records(60, (index) => ({
    timeline: { peer: peers[index % peers.length] ?? null },
  }));
  return pointSummaryOf(made)
    .phases.filter(({ name }) => name.startsWith('address'))
    .map(({ name, ledger }) => [name, ledger.scheduled]);
}

test('requests of a name with several addresses are shown by address', () => {
  expect(byAddress(['10.0.0.2:80', '10.0.0.1:80', '10.0.0.2:81', '[::1]:80'])).toEqual([
    ['address 10.0.0.1', 15],
    ['address 10.0.0.2', 30],
    ['address [::1]', 15],
  ]);
  expect(byAddress(['10.0.0.2:80', '10.0.0.1:80', null])).toEqual([
    ['address 10.0.0.1', 20],
    ['address 10.0.0.2', 20],
  ]);
});

test('one address, a Unix socket, and very many addresses are not', () => {
  expect(byAddress(['10.0.0.1:80', '10.0.0.1:81'])).toEqual([]);
  expect(byAddress(['/run/llm.sock'])).toEqual([]);
  expect(byAddress(Array.from({ length: 17 }, (_, index) => `10.0.0.${index}:80`))).toEqual([]);
});
