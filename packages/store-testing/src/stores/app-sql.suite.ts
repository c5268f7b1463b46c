import type { AppSqlRow, RowSchema, Stores, TransactionStores } from '@x/store';
import { describe, expect } from 'vitest';
import { signUp } from '../sign-in.ts';
import type { StoreEngine, StoreTest } from '../store-test.ts';

/** Describes statements of the app's own in the transactions of the stores. */
export function describeAppSql(it: StoreTest, { hasSql = false }: StoreEngine): void {
  describe('a statement of the app', () => {
    if (hasSql) {
      describeTogether(it);
      describeFailures(it);
      describeRows(it);
    } else {
      it('is refused where there is no SQL', async ({ stores }) => {
        const refused = stores.transaction(({ sql }) => sql`SELECT 1`);
        await expect(refused).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
        const typed = stores.transaction(({ sql }) => sql.type(anyRow)`SELECT 1`);
        await expect(typed).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
        expect(await stores.transaction(async ({ raw }) => raw)).toBeUndefined();
      });
    }
  });
}

function describeTogether(it: StoreTest): void {
  it('commits with the steps of the stores', async ({ stores, records, processes }) => {
    await createOrders(stores);
    const user = await stores.transaction(async (tx) => {
      const added = await signUp(tx, records);
      await tx.sql`INSERT INTO own_orders (id, customer) VALUES (${'o1'}, ${added.id})`;
      expect(await tx.sql`SELECT customer FROM own_orders`).toEqual([{ customer: added.id }]);
      return added;
    });
    expect(await listOrders(processes[0])).toEqual([{ id: 'o1', customer: user.id }]);
    expect(await processes[0].users.findById(user.id)).toEqual(user);
  });

  it('is rolled back with them when the work throws', async ({ stores }) => {
    await createOrders(stores);
    const failing = stores.transaction(async (tx) => {
      await tx.counters.add('orders', 1);
      await addOrder(tx, 'o1');
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    await expectNothing(stores);
  });

  it('sees what the stores did before it in the transaction', async ({ stores, records }) => {
    const seen = await stores.transaction(async (tx) => {
      const { id } = await signUp(tx, records);
      return tx.sql`SELECT id FROM auth_users WHERE id = ${id}`;
    });
    expect(seen).toHaveLength(1);
  });

  it('can neither begin nor end a transaction', async ({ stores }) => {
    await createOrders(stores);
    const enders = [
      (tx: TransactionStores) => tx.sql`COMMIT`,
      (tx: TransactionStores) => tx.sql`  -- now
        rollback`,
      (tx: TransactionStores) => tx.sql`/* a * b */ ; END`,
      (tx: TransactionStores) => tx.sql`SAVEPOINT mine`,
      (tx: TransactionStores) => tx.sql`Begin`,
    ];
    for (const end of enders) {
      const refused = stores.transaction(async (tx) => {
        await addOrder(tx, 'o1');
        await end(tx);
      });
      await expect(refused).rejects.toThrow(TypeError);
    }
    await expectNothing(stores);
  });

  it('is one statement, which no other can follow', async ({ stores }) => {
    await createOrders(stores);
    const followed = [
      (tx: TransactionStores) => tx.sql`SELECT 1; COMMIT`,
      (tx: TransactionStores) => tx.sql`SELECT 1; SELECT 2`,
    ];
    for (const run of followed) {
      const refused = stores.transaction(async (tx) => {
        await addOrder(tx, 'o1');
        await run(tx);
      });
      await expect(refused).rejects.toThrow(/multiple commands|more than one statement/);
    }
    await expectNothing(stores);
  });

  it('has a transaction of its own outside of one', async ({ stores }) => {
    await createOrders(stores);
    await addOrder(stores, 'o1');
    await expect(addOrder(stores, 'o1')).rejects.toMatchObject({ code: expect.stringMatching(duplicateKey) });
    expect(await stores.sql`SELECT id FROM own_orders`).toEqual([{ id: 'o1' }]);
    await expect(stores.sql`COMMIT`).rejects.toThrow(TypeError);
    expect(stores.raw).toBeUndefined();
  });

  it('is refused after the end of its transaction', async ({ stores }) => {
    const ended = await stores.transaction(async (tx) => tx);
    await expect(async () => ended.sql`SELECT 1`).rejects.toThrow(TypeError);
    expect(() => ended.raw).toThrow(TypeError);
  });
}

function describeFailures(it: StoreTest): void {
  it('fails with the error of the driver, without the row, and rolls everything back', async ({ stores }) => {
    await createOrders(stores);
    const failing = stores.transaction(async (tx) => {
      await tx.counters.add('orders', 1);
      await addOrder(tx, 'secret');
      await addOrder(tx, 'secret');
    });
    const error: unknown = await failing.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(duplicateKey) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
    await expectNothing(stores);
  });

  it('names its own missing table, not a migration of the stores', async ({ stores }) => {
    const failing = stores.transaction(({ sql }) => sql`SELECT * FROM own_nothing`);
    await expect(failing).rejects.toMatchObject({ code: expect.stringMatching(/^(42P01|SQLITE_ERROR)$/) });
    await expect(failing).rejects.toThrow('own_nothing');
  });

  it('rolls everything back even if its error is caught', async ({ stores }) => {
    await createOrders(stores);
    const caught: unknown[] = [];
    const failing = stores.transaction(async (tx) => {
      await tx.counters.add('orders', 1);
      await tx.sql`INSERT INTO own_orders (id) VALUES (NULL)`.catch((error: unknown) => caught.push(error));
    });
    const error: unknown = await failing.catch((reason: unknown) => reason);
    expect(caught).toEqual([error]);
    await expectNothing(stores);
  });

  it('rolls back only an inner transaction, whose error may be caught', async ({ stores }) => {
    await createOrders(stores);
    await stores.transaction(async (tx) => {
      await addOrder(tx, 'o1');
      const inner = tx.transaction(async (inside) => {
        await addOrder(inside, 'o2');
        await addOrder(inside, 'o1');
      });
      await expect(inner).rejects.toMatchObject({ code: expect.stringMatching(duplicateKey) });
      await addOrder(tx, 'o3');
    });
    expect((await listOrders(stores)).map(({ id }) => id)).toEqual(['o1', 'o3']);
  });
}

function describeRows(it: StoreTest): void {
  it('binds values with any characters', async ({ stores }) => {
    await createOrders(stores);
    const awkward = [`'); DROP TABLE own_orders; --`, '$1 and $2', '?', '', '\u{1F600}'];
    await stores.transaction(async (tx) => {
      for (const [index, text] of awkward.entries()) {
        await tx.sql`INSERT INTO own_orders (id, customer, comment) VALUES (${`o${index}`}, '$9 ?', ${text})`;
      }
    });
    const rows = await stores.transaction(({ sql }) => sql`SELECT customer, comment FROM own_orders ORDER BY id`);
    expect(rows).toEqual(awkward.map((comment) => ({ customer: '$9 ?', comment })));
  });

  it('binds numbers, booleans, dates and null', async ({ stores }) => {
    const [row] = await stores.transaction(
      ({ sql }) =>
        sql`SELECT CAST(${1.5} AS DOUBLE PRECISION) AS number, CAST(${true} AS TEXT) AS boolean,
          CAST(${new Date(0)} AS TEXT) AS date, CAST(${null} AS TEXT) AS missing`,
    );
    expect(row).toMatchObject({ number: 1.5, date: '1970-01-01T00:00:00.000Z', missing: null });
    expect(row?.['boolean']).toMatch(/^(true|1|1\.0)$/);
    const refused = stores.transaction(({ sql }) => sql`SELECT ${{ id: 1 } as never}`);
    await expect(refused).rejects.toThrow(TypeError);
  });

  it('returns what it changed, if it says so, and nothing otherwise', async ({ stores }) => {
    await createOrders(stores);
    const [changed, others] = await stores.transaction(async (tx) => {
      await addOrder(tx, 'o1');
      const returned = await tx.sql`UPDATE own_orders SET comment = 'late' RETURNING id, comment`;
      return [returned, await tx.sql`UPDATE own_orders SET comment = 'later'`];
    });
    expect(changed).toEqual([{ id: 'o1', comment: 'late' }]);
    expect(others).toEqual([]);
  });

  it('has rows of the type of a schema', async ({ stores }) => {
    await createOrders(stores);
    const ids = await stores.transaction(async (tx) => {
      await addOrder(tx, 'o1');
      const rows = await tx.sql.type(idRow)`SELECT id FROM own_orders WHERE id = ${'o1'}`;
      return rows.map(({ id }) => id.toUpperCase());
    });
    expect(ids).toEqual(['O1']);
  });

  it('is rolled back if a row does not fit the schema, which the error says without the value', async ({ stores }) => {
    await createOrders(stores);
    const failing = stores.transaction(async (tx) => {
      await addOrder(tx, 'o1');
      await tx.sql.type(idRow)`SELECT customer AS id, 'secret' AS comment FROM own_orders`.catch(() => undefined);
    });
    await expect(failing).rejects.toThrow(
      new TypeError('A row of the statement does not fit its schema: its id does not.'),
    );
    await expectNothing(stores);
  });
}

const anyRow: RowSchema<AppSqlRow> = { '~standard': { validate: (value) => ({ value: value as AppSqlRow }) } };

const idRow: RowSchema<{ readonly id: string }> = {
  '~standard': {
    validate: (value) => {
      const { id } = value as AppSqlRow;
      return typeof id === 'string' ? { value: { id } } : { issues: [{ path: [{ key: 'id' }] }] };
    },
  },
};

/** Creates the app's own table, empty. */
async function createOrders(stores: Stores): Promise<void> {
  await stores.transaction(async ({ sql }) => {
    await sql`CREATE TABLE IF NOT EXISTS own_orders (id TEXT NOT NULL PRIMARY KEY, customer TEXT, comment TEXT)`;
    await sql`DELETE FROM own_orders`;
  });
}

async function addOrder({ sql }: TransactionStores, id: string): Promise<void> {
  await sql`INSERT INTO own_orders (id) VALUES (${id})`;
}

async function listOrders(stores: Stores): Promise<readonly AppSqlRow[]> {
  return stores.transaction(({ sql }) => sql`SELECT id, customer FROM own_orders ORDER BY id`);
}

async function expectNothing(stores: Stores): Promise<void> {
  expect(await listOrders(stores)).toEqual([]);
  expect(await stores.counters.read('orders')).toBe(0);
}

/** The codes of drivers for a key that another row has. */
const duplicateKey = /^(23505|SQLITE_CONSTRAINT_PRIMARYKEY)$/;
