import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer, type StoreNeeds } from '@x/server';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { expect, it, onTestFinished } from 'vitest';

const auth = { production: false, session: { strategy: 'jwt' } } as const;

const notes = defineEntity({
  model: defineModel('notes', { fields: { title: field.text() } }),
  access: { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false },
});

it.each([
  ['memory', createMemoryStores],
  ['SQLite', (needs: StoreNeeds) => createSqliteStores({ path: ':memory:', ...needs })],
])('opens stores in %s with the tables of its entities and organizations', async (_, database) => {
  const server = await createServer({ database, auth, entities: [notes], organizations: createOrganizations() });
  onTestFinished(() => server.close());
  await server.initialize();
  const created = await server.entities.asSystem().create(notes, { title: 'Engines' });
  expect(created).toMatchObject({ ok: true, value: { record: { title: 'Engines' } } });
  expect((await server.fetch(new Request('http://localhost:3000/api/organizations'))).status).toBe(401);
});

it('has them keep the feed of changes if it is live, and otherwise not', async () => {
  const opened: StoreNeeds[] = [];
  const database = (needs: StoreNeeds) => {
    opened.push(needs);
    return createMemoryStores(needs);
  };
  for (const live of [true, false]) {
    const server = await createServer({ database, auth, entities: [notes], live });
    onTestFinished(() => server.close());
  }
  expect(opened.map(({ changes, entities }) => [changes, entities.map(({ name }) => name)])).toEqual([
    [true, ['notes']],
    [false, ['notes']],
  ]);
  const forgetful = createServer({ database: () => createMemoryStores(), auth, live: true });
  await expect(forgetful).rejects.toThrow('live: the database keeps no feed of changes');
});
