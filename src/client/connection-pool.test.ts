import { expect, test } from 'vitest';
import { ConnectionPool, type PooledConnection } from './connection-pool.ts';

interface MadeConnection extends PooledConnection {
  usable: boolean;
  endedByServer: boolean;
}

/** A pool of connections that are open at once, and the connections it made. */
function poolOf(): { pool: ConnectionPool; made: MadeConnection[] } {
  const made: MadeConnection[] = [];
  const pool = new ConnectionPool((onOpened) => {
    const connection: MadeConnection = {
      opened: null,
      firstReadNs: null,
      usable: true,
      endedByServer: false,
      open: () => Promise.resolve(onOpened()),
      dispatch: onOpened,
      destroy: () => {},
    };
    made.push(connection);
    return connection;
  });
  return { pool, made };
}

/** Takes one, and opens it where it is new. */
function take(pool: ConnectionPool, made: readonly MadeConnection[]): MadeConnection {
  const before = made.length;
  const connection = pool.acquire() as MadeConnection;
  if (made.length > before) connection.dispatch({} as never, {} as never);
  return connection;
}

test('openings are counted by what they make up for, the oldest loss first', async () => {
  const { pool, made } = poolOf();
  expect(await pool.warm(4)).toBe(4);
  const leased = [0, 1, 2, 3, 4].map(() => take(pool, made));
  expect(pool.openings).toMatchObject({ ahead: 4, allBusy: 1 });

  const [reset, refused, late, idle, kept] = leased as [
    MadeConnection,
    MadeConnection,
    MadeConnection,
    MadeConnection,
    MadeConnection,
  ];
  reset.endedByServer = true;
  pool.release(reset, false);
  refused.usable = false;
  refused.endedByServer = true;
  pool.release(refused, true);
  pool.release(late, false);
  pool.release(idle, true);
  idle.usable = false;
  for (let index = 0; index < 4; index += 1) take(pool, made);
  expect(pool.openings).toEqual({
    ahead: 4,
    allBusy: 1,
    serverClosed: 2,
    idleEnded: 1,
    givenUp: 1,
  });
  pool.release(kept, true);
  expect(take(pool, made)).toBe(kept);
});

test('a connection that opens again had been closed by the server; warming makes up for losses', async () => {
  const { pool, made } = poolOf();
  await pool.warm(1);
  const again = take(pool, made);
  again.dispatch({} as never, {} as never);
  expect(pool.openings.serverClosed).toBe(1);
  pool.release(again, false);
  await pool.warm(1);
  take(pool, made);
  take(pool, made);
  expect(pool.openings).toMatchObject({ ahead: 2, allBusy: 1, givenUp: 0 });
});
