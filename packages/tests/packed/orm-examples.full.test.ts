import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresDatabase } from '@x/test-support/database';
import { lookUp } from '@x/test-support/lookup';
import { runCommand } from '@x/test-support/packed';
import { beforeAll, expect, inject, it } from 'vitest';
import type { TestClient } from '../support/test-client.ts';
import { checkTypes, type Example, openExample, whileRunning } from './example-program.ts';

// The query builders and ORMs of examples/, as npm has them, with the packed packages: an action writes their tables and
// our entities in one transaction.

beforeAll(async () => void (await lookUp(inject('examplesLookup'), 'No examples')), 240_000);

it.concurrent.for(['drizzle', 'kysely'] as const)(
  'writes rows of %s and records together, or none of them',
  { timeout: 300_000 },
  async (name) => {
    const example = await openExample(name);
    // Its own declarations have errors. Kysely is among the examples that are type-checked together.
    if (name === 'drizzle') await checkTypes(example.folder, { skipLibCheck: true });
    await whileRunning(example, ['sqlite.ts'], expectAllOrNothing);
    await whileRunning({ ...example, variables: await newDatabase() }, ['postgres.ts'], expectAllOrNothing);
  },
);

it.concurrent('writes rows of Prisma and records together, or none of them', { timeout: 300_000 }, async () => {
  const example = { ...(await openExample('prisma')), variables: await newDatabase() };
  await runCommand(example.folder, 'npm', ['run', 'generate'], withoutEngine);
  await checkTypes(example.folder);
  await runProgram(example, migrate);
  await whileRunning(example, ['postgres.ts'], expectAllOrNothing);
  expect(await runProgram(example, nest)).toBe('P2002 cup pot tea\n');
});

/** Makes a database that nobody gets after this test: migrations may leave a schema of their own in it. */
async function newDatabase(): Promise<{ readonly DATABASE_URL: string }> {
  return { DATABASE_URL: (await createPostgresDatabase()).url };
}

async function expectAllOrNothing(ada: TestClient): Promise<void> {
  await ada.post('/api/auth/signup', { email: 'ada@example.com', password: 'correct horse battery' });
  const state = async (): Promise<readonly unknown[]> => {
    const [products, orders] = [await ada.get('/api/products'), await ada.get('/api/orders')];
    const stock = Object.fromEntries(products.body.items.map((each) => [each['id'], each['stock']]));
    return [stock, new Set(orders.body.items.map((each) => each['product'])), orders.body.items.length];
  };
  expect((await ada.post('/api/shop/buy', { products: ['tea', 'cup'] })).status).toBe(204);
  expect(await state()).toEqual([{ tea: 4, cup: 0 }, new Set(['tea', 'cup']), 2]);
  expect((await ada.post('/api/shop/buy', { products: ['tea', 'cup'] })).body.error.code).toBe('CONFLICT');
  expect(await state()).toEqual([{ tea: 4, cup: 0 }, new Set(['tea', 'cup']), 2]);
}

/** `prisma` downloads an engine for migrations before it does anything, unless it is told of one. */
const withoutEngine = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };

/** What `prisma migrate deploy` would do first. */
const migrate = `
  import { readFileSync } from 'node:fs';
  import pg from 'pg';

  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query(readFileSync('prisma/migrations/0_products/migration.sql', 'utf8'));
  await client.end();`;

/** A transaction of Prisma's own within that of the stores fails, and the rest is committed. */
const nest = `
  import { systemClock } from '@x/store';
  import { createPostgresStores } from '@x/store-postgres';
  import { withPrisma } from './with-prisma.ts';

  const stores = createPostgresStores({ url: process.env.DATABASE_URL, clock: systemClock });
  const create = (prisma, id) => prisma.product.create({ data: { id, name: id, stock: 1 } });
  const code = await stores.transaction((tx) =>
    withPrisma(tx, async (prisma) => {
      await create(prisma, 'pot');
      const nested = prisma.$transaction([create(prisma, 'lid'), create(prisma, 'pot')]);
      return nested.catch(({ code }) => code);
    }),
  );
  const read = (prisma) => prisma.product.findMany({ orderBy: { id: 'asc' } });
  const products = await stores.transaction((tx) => withPrisma(tx, read));
  console.log(code, ...products.map(({ id }) => id));
  await stores.close();`;

/** Runs a program beside those of an example. */
async function runProgram({ folder, variables }: Example, text: string): Promise<string> {
  writeFileSync(join(folder, 'program.mjs'), text);
  return runCommand(folder, 'node', ['program.mjs'], variables);
}
