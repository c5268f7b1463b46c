import { rules } from '@x/access';
import { CodedError } from '@x/errors';
import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEntities, type Entities } from './create-entities.ts';
import { defineEntity } from './definition/define-entity.ts';
import type { EntityHooks } from './definition/entity-hooks.ts';
import type { Entity } from './definition/entity.ts';
import { defineModel } from './model/define-model.ts';
import { field } from './model/field.ts';
import type { Model } from './model/model.ts';
import { toEntityTables } from './model/to-entity-tables.ts';

const model: Model = defineModel('notes', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text(),
    words: field.integer({ default: 0, readOnly: true }),
    internalNote: field.text({ nullable: true, hidden: true }),
  },
});
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const clock = { now: () => new Date('2026-01-01T00:00:00.000Z') };
const tables = toEntityTables([model]);

const open: Readonly<Record<string, () => Stores>> = {
  memory: () => createMemoryStores({ clock, entities: tables }),
  sqlite: () => createSqliteStores({ path: ':memory:', clock, entities: tables }),
};

const ada = { userId: 'ada', tenantId: null, role: 'user', secondFactorAt: null };
const bob = { ...ada, userId: 'bob' };

interface Opened {
  readonly app: Entities;
  readonly notes: Entity;
  readonly logged: object[];
}

async function start(engine: string, hooks: EntityHooks = {}): Promise<Opened> {
  const stores = open[engine]!();
  await stores.migrate();
  onTestFinished(() => stores.close());
  const access = { list: own, get: own, create: own, update: own, delete: false as const };
  const notes = defineEntity({ model, access, hooks });
  const logged: object[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => void logged.push(fields) };
  return { app: createEntities({ entities: [notes], stores, logger }), notes, logged };
}

async function createNote({ app, notes }: Opened, title = 'one two'): Promise<string> {
  const created = await app.as(ada).create(notes, { title });
  if (!created.ok) throw new Error(created.error.code);
  return created.value.record.id;
}

describe.each(['memory', 'sqlite'])('entities in process on %s', (engine) => {
  it('let the app itself write every declared field, and callers none that is not theirs', async () => {
    const stored: object[] = [];
    const { app, notes } = await start(engine, {
      after: { create: (row) => void stored.push(row), update: ({ record }) => void stored.push(record) },
    });
    const whole = { ownerId: 'bob', title: 'Imported', words: 7, internalNote: 'from the old system' };
    const id = '3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f';
    const moments = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: null };
    await app.asSystem().create(notes, { ...whole, id, ...moments } as never);
    expect(stored).toEqual([{ ...whole, id, createdAt: clock.now(), updatedAt: clock.now() }]);
    const changes = { ownerId: 'ada', words: 8, internalNote: null };
    await app.transaction(ada, ({ system }) => system.update(notes, id, changes as never));
    expect(stored.at(-1)).toMatchObject({ ...whole, ...changes });
    const wrong = await app.asSystem(ada).create(notes, { title: 'Wrong', words: 'many', internalNote: 1 } as never);
    expect(wrong.error?.issues?.map(({ path }) => path.join('.'))).toEqual(['words', 'internalNote']);
    await app.asSystem(ada).create(notes, { title: 'Left out' });
    expect(stored.at(-1)).toMatchObject({ ownerId: 'ada', words: 0, internalNote: null });

    const ignored = await app.as(ada).update(notes, id, { words: 9 } as never);
    expect(ignored).toMatchObject({ ok: true, value: { record: { words: 8 } } });
    for (const refused of [{ internalNote: 'x' }, { ownerId: 'bob' }]) {
      expect(await app.as(ada).update(notes, id, refused as never)).toMatchObject({
        ok: false,
        error: { code: 'VALIDATION_FAILED' },
      });
    }
  });

  it('commit a transaction or roll it back whole, for a caller and for the app', async () => {
    const { app, notes } = await start(engine);
    const write = (title: string, fail: boolean): Promise<void> =>
      app.transaction(ada, async ({ entities, system }) => {
        await entities.create(notes, { title });
        await system.create(notes, { title });
        if (fail) throw new RangeError('no');
      });
    await expect(write('undone', true)).rejects.toThrow(RangeError);
    await write('done', false);
    const listed = await app.as(ada).list(notes);
    expect(listed).toMatchObject({ ok: true, value: { items: [{ title: 'done' }, { title: 'done' }] } });
  });

  it('apply the same rules to a caller as over HTTP', async () => {
    const opened = await start(engine);
    const { app, notes } = opened;
    const id = await createNote(opened);
    const foreign = await app.as(bob).update(notes, id, { title: 'x' });
    const missing = await app.as(bob).update(notes, crypto.randomUUID(), { title: 'x' });
    expect(foreign).toEqual(missing);
    expect(foreign).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await app.as(ada).delete(notes, id)).toMatchObject({ ok: false, error: { code: 'METHOD_NOT_ALLOWED' } });
    expect(await app.as({ ...ada, userId: null }).list(notes)).toMatchObject({
      ok: false,
      error: { code: 'UNAUTHENTICATED' },
    });
    expect(await app.as(ada).update(notes, id, { title: 'x' }, 2)).toMatchObject({
      ok: false,
      error: { code: 'PRECONDITION_FAILED' },
    });
    expect(await app.as(ada).update(notes, id, { title: 'x' }, 1)).toMatchObject({ ok: true, value: { version: 2 } });
  });

  it('let the system do everything, on behalf of a caller', async () => {
    const opened = await start(engine);
    const { app, notes } = opened;
    await createNote(opened);
    const system = app.asSystem({ userId: 'bob', tenantId: null });
    const made = await system.create(notes, { title: 'from the system' });
    expect(made).toMatchObject({ ok: true, value: { record: { ownerId: 'bob' } } });
    expect(await app.asSystem().create(notes, { title: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'UNAUTHENTICATED' },
    });
    const listed = await app.asSystem().list(notes, { count: true });
    expect(listed).toMatchObject({ ok: true, value: { total: 2 } });
    if (!made.ok) return;
    expect(await app.as(ada).get(notes, made.value.record.id)).toMatchObject({ ok: false });
    expect(await system.delete(notes, made.value.record.id)).toMatchObject({ ok: true });
  });

  it('take the queries of clients, and give dates as dates', async () => {
    const opened = await start(engine);
    const { app, notes } = opened;
    const id = await createNote(opened);
    const got = await app.as(ada).get(notes, id, { select: ['createdAt'] });
    const createdAt = got.ok && got.value.record.createdAt;
    expect(got).toMatchObject({ value: { record: { createdAt: expect.any(Date) }, version: 1 } });
    const listed = await app.as(ada).list(notes, { where: { createdAt: { lte: createdAt || '' } }, select: ['id'] });
    expect(listed).toMatchObject({ value: { items: [{ id }] } });
    const wrong = await app.as(ada).get(notes, id, { include: ['owner' as never] });
    expect(wrong).toMatchObject({ ok: false, error: { code: 'INVALID_QUERY' } });
  });

  it('run hooks in the transaction, and others after the commit', async () => {
    const calls: unknown[] = [];
    const opened = await start(engine, {
      before: {
        create: ({ title }) => ({ words: String(title).split(' ').length, internalNote: 'made' }),
        update: ({ record, changes }) => {
          calls.push(['before', record['title'], changes['title']]);
          return { words: 7 };
        },
      },
      after: {
        async create({ id }, { stores, caller }) {
          const seen = await stores.entities.get('notes', id, all);
          calls.push(['inside', seen?.row['internalNote'], caller.userId]);
        },
        update: ({ record, previous }) => void calls.push(['after', previous['title'], record['title']]),
      },
      afterCommit: {
        create: ({ words }) => void calls.push(['committed', words]),
        update() {
          throw new Error('no consumer');
        },
      },
    });
    const id = await createNote(opened);
    const updated = await opened.app.as(ada).update(opened.notes, id, { title: 'x' });
    expect(updated).toMatchObject({ ok: true, value: { version: 2, record: { title: 'x', words: 7 } } });
    expect(calls).toEqual([
      ['inside', 'made', 'ada'],
      ['committed', 2],
      ['before', 'one two', 'x'],
      ['after', 'one two', 'x'],
    ]);
    expect(opened.logged).toEqual([{ err: expect.objectContaining({ message: 'no consumer' }) as Error }]);
  });

  it('undo everything if a hook refuses, and run no hook if the rule refuses', async () => {
    const committed: string[] = [];
    const opened = await start(engine, {
      before: { update: ({ changes }) => (changes['title'] === 'moved' ? { ownerId: 'eve' } : undefined) },
      after: {
        update() {
          throw new CodedError('CONFLICT', 'Not now.');
        },
      },
      afterCommit: { update: () => void committed.push('x') },
    });
    const { app, notes } = opened;
    const id = await createNote(opened);
    const refused = await app.as(ada).update(notes, id, { title: 'x' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'CONFLICT', message: 'Not now.' } });
    expect(await app.as(ada).update(notes, id, { title: 'moved' })).toMatchObject({
      ok: false,
      error: { code: 'FORBIDDEN' },
    });
    expect(await app.as(bob).update(notes, id, { title: 'x' })).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await app.as(ada).get(notes, id)).toMatchObject({ ok: true, value: { version: 1 } });
    expect(committed).toEqual([]);
  });
});
