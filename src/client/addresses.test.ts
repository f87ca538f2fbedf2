import { describe, expect, test } from 'vitest';
import { Addresses } from './addresses.ts';

/** A name with these addresses, and how often it was asked for. */
function named(...found: readonly string[]): { addresses: Addresses; asked: () => number } {
  let asked = 0;
  const addresses = new Addresses('api.example', () => {
    asked += 1;
    return Promise.resolve(found);
  });
  return { addresses, asked: () => asked };
}

describe('Addresses', () => {
  test('come in turn, and are looked up once', async () => {
    const { addresses, asked } = named('10.0.0.1', '10.0.0.2', '10.0.0.3');
    const first: (string | undefined)[] = [];
    for (let turn = 0; turn < 6; turn += 1) first.push((await addresses.inTurn())[0]);
    expect(first).toEqual([1, 2, 3, 1, 2, 3].map((last) => `10.0.0.${last}`));
    expect(asked()).toBe(1);
  });

  test('are counted, but for those that refuse', async () => {
    const { addresses } = named('10.0.0.1', '10.0.0.2', '10.0.0.3');
    expect(addresses.count).toBe(1);
    await addresses.inTurn();
    expect(addresses.count).toBe(3);
    addresses.refused('10.0.0.2');
    expect(addresses.count).toBe(2);
  });

  test('one that refused comes last until it takes a connection', async () => {
    const { addresses } = named('10.0.0.1', '10.0.0.2');
    addresses.refused('10.0.0.1');
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await addresses.inTurn()).toEqual(['10.0.0.2', '10.0.0.1']);
    }
    addresses.took('10.0.0.1');
    const firsts = [(await addresses.inTurn())[0], (await addresses.inTurn())[0]];
    expect(new Set(firsts)).toEqual(new Set(['10.0.0.1', '10.0.0.2']));
  });

  test('a lookup that failed is tried again', async () => {
    let isUp = false;
    const addresses = new Addresses('api.example', () =>
      isUp ? Promise.resolve(['10.0.0.1']) : Promise.reject(new Error('no such name')),
    );
    await expect(addresses.inTurn()).rejects.toThrow('no such name');
    isUp = true;
    expect(await addresses.inTurn()).toEqual(['10.0.0.1']);
  });

  test('an address needs no lookup', async () => {
    const addresses = new Addresses('::1', () => Promise.reject(new Error('asked')));
    expect(await addresses.inTurn()).toEqual(['::1']);
  });
});
