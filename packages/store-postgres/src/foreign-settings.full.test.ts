import { type EntityTable, systemClock, type Stores } from '@x/store';
import { eq } from '@x/store/where';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStores, type PostgresStoresOptions } from './create-postgres-stores.ts';
import { openAppPool } from './testing/postgres-engine.ts';

/** Settings that change the meaning of statements, or how their values are printed. */
const foreign: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  bytea_output: 'escape',
  DateStyle: 'SQL, DMY',
  extra_float_digits: '0',
  IntervalStyle: 'sql_standard',
  quote_all_identifiers: 'on',
  session_replication_role: 'replica',
  standard_conforming_strings: 'off',
  TimeZone: 'Asia/Kolkata',
  transform_null_equals: 'on',
};

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
beforeAll(async () => {
  database = await createPostgresDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  for (const [name, value] of Object.entries(foreign)) {
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} = %L', current_database(), '${value}'); END $$`,
    );
  }
  await client.end();
});
afterAll(() => database.drop());

const label = String.raw`it's \'; C:\new`;

const items: EntityTable = {
  name: 'items',
  columns: [
    { name: 'weight', type: 'number', nullable: false },
    { name: 'label', type: 'text', nullable: false, default: label },
    { name: 'detail', type: 'json', nullable: false, default: { quoted: '"\\' } },
    { name: 'ownerId', type: 'text', nullable: true, references: { entity: 'items', onDelete: 'restrict' } },
  ],
  indexes: [],
  partialIndexes: [{ columns: ['weight'], where: eq('label', label), unique: false }],
};

type Route = (url: string) => Partial<PostgresStoresOptions> & { readonly end?: () => Promise<void> };

const routes: readonly (readonly [string, Route])[] = [
  ['a direct connection', (url) => ({ url, pooled: false })],
  ['a pooler', (url) => ({ url, pooled: true })],
  [
    'a pool of the app',
    (connectionString) => {
      const pool = openAppPool({ connectionString, max: 2 });
      return { pool, end: () => pool.end() };
    },
  ],
];

describe.each(routes)(
  'under settings of the database that change the meaning of statements, through %s,',
  (_, route) => {
    it('statements have the same meaning and output as always', async () => {
      await using opened = await open(route);
      const { stores } = opened;
      const rows = await stores.transaction(({ sql }) => sql`SELECT name, setting FROM pg_settings`);
      const left = rows.filter(({ name, setting }) => foreign[String(name)] === setting);
      expect(left).toEqual([]);
      const [row] = await stores.transaction(
        ({ sql }) => sql`SELECT DATE '2026-02-01' + TIME '03:04' AS at, to_timestamp(0)::text AS start,
        0.1::float8 + 0.2::float8 AS sum, '\\'::text AS backslash, NULL = NULL AS is_null`,
      );
      expect(row).toEqual({
        at: new Date(2026, 1, 1, 3, 4),
        start: '1970-01-01 00:00:00+00',
        sum: 0.1 + 0.2,
        backslash: '\\',
        is_null: null,
      });
    });

    it('numbers keep their digits, defaults their backslashes, and references are enforced', async () => {
      await using opened = await open(route);
      const { entities } = opened.stores;
      const id = crypto.randomUUID();
      const created = await entities.create('items', { id, ...input, weight: 0.1 + 0.2 });
      expect(created.row).toMatchObject({ weight: 0.1 + 0.2 });
      const dangling = entities.create('items', { id: crypto.randomUUID(), ...input, weight: 1, ownerId: 'nobody' });
      await expect(dangling).rejects.toMatchObject({ code: 'CONFLICT' });
      const [row] = await opened.query(
        'INSERT INTO app_items (id, _version, weight) VALUES (gen_random_uuid()::text, 1, 1) RETURNING label, detail',
      );
      expect(row).toEqual({ label, detail: { quoted: '"\\' } });
    });
  },
);

const input = { label, detail: {}, ownerId: null };

interface Opened extends AsyncDisposable {
  readonly stores: Stores;
  readonly query: (text: string) => Promise<readonly unknown[]>;
}

async function open(route: Route): Promise<Opened> {
  const { end, ...given } = route(database.url);
  const options = { ...given, clock: systemClock, entities: [items], patience: patient } as PostgresStoresOptions;
  const stores = createPostgresStores(options);
  await stores.migrate();
  return {
    stores,
    async query(text) {
      const client = new pg.Client(database.url);
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(text);
      await client.end();
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await end?.();
    },
  };
}
