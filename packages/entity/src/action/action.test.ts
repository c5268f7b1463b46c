import { defineAccess, rules } from '@x/access';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { AccessMap } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { problemsOf } from '../testing/problems-of.ts';
import { action, type RecordAction, recordAction } from './action.ts';
import { defineService } from './service.ts';

const model = defineModel('notes', { fields: { ownerId: field.text({ nullable: true }), title: field.text() } });
const other = defineModel('others', { fields: { title: field.text() } });
const anybody: AccessMap = {
  list: rules.public,
  get: rules.public,
  create: rules.public,
  update: rules.public,
  delete: false,
};
const done = (): string => 'done';

it('reports every invalid action with its place', () => {
  const missing = undefined as never;
  const actions = {
    nobody: recordAction(model, { rule: missing, handler: done }),
    query: action({ rule: rules.public, handler: done }),
    bulk: action({ rule: rules.public, handler: done }),
    'no/path': action({ rule: rules.public, handler: done }),
    whole: action({ path: '', rule: rules.public, handler: done }),
    twice: recordAction(model, { rule: rules.public, handler: done }),
    again: recordAction(model, { path: 'twice', rule: rules.public, handler: done }),
    gotten: recordAction(model, { path: 'twice', method: 'GET', rule: rules.public, handler: done }),
    traced: recordAction(model, { method: 'TRACE' as 'GET', rule: rules.public, handler: done }),
    foreign: recordAction(other, { rule: rules.public, handler: done }) as unknown as RecordAction<typeof model>,
    wrong: recordAction(model, { rule: rules.where({ nothing: 1 }), handler: done }),
    entitled: recordAction(model, { rule: rules.entitlement('note:read'), handler: done }),
    conditional: action({ rule: rules.where({ title: 'x' }), handler: done }),
    awaited: action({
      rule: rules.public,
      input: z.strictObject({ name: z.string().refine(async () => true) }),
      output: z.string().transform(async (text) => text),
      handler: done,
    }),
    often: action({ rule: rules.public, rateLimit: { max: 0, windowSeconds: 1, per: 'record' }, handler: done }),
  };
  expect(problemsOf(() => defineEntity({ model, access: anybody, actions }))).toEqual([
    'notes.actions.nobody: a rule is missing.',
    'notes.actions.nobody.rule: is not a rule.',
    'notes.actions.query: another route has the path query.',
    'notes.actions.bulk: another route has the path bulk.',
    'notes.actions.no/path: the last segment of its path must match /^[a-z][a-z0-9-]{0,39}$/.',
    'notes.actions.whole: the last segment of its path must match /^[a-z][a-z0-9-]{0,39}$/.',
    'notes.actions.again: twice has the same method and path.',
    'notes.actions.traced: the method must be GET, POST, PUT, PATCH or DELETE.',
    'notes.actions.wrong.rule: has a condition on `nothing`, which is not a field.',
    'notes.actions.entitled.rule: names the entitlement `note:read`, which no access `definition` declares.',
    'notes.actions.conditional.rule: has a condition on `title`, which is not a field.',
    'notes.actions.awaited.input: the schema has to be synchronous: check what takes time in the handler.',
    'notes.actions.awaited.output: the schema has to be synchronous: check what takes time in the handler.',
    'notes.actions.often: a rate limit needs a max that is a whole number of 1 or more, and a window above 0 seconds.',
    'notes.actions.often: there is no record to count attempts per.',
    'notes.actions.foreign: belongs to another model.',
  ]);
});

it('reports services that are invalid, or conflict with others', () => {
  const ping = action({ rule: rules.public, handler: done });
  expect(problemsOf(() => defineService({ name: 'No', actions: { ping } }))).toEqual([
    'No: the name of a service must match /^[a-z][a-z0-9-]{0,39}$/.',
  ]);
  const own = action({ method: 'GET', path: '', rule: rules.public, handler: done });
  expect(problemsOf(() => defineService({ name: 'x', actions: { own, twice: own, delete: ping } }))).toEqual([
    'x.actions.twice: own has the same method and path.',
    'x.actions.delete: by the name delete, clients send a DELETE to x itself; choose another one.',
  ]);
  const stores = createMemoryStores({ clock: { now: () => new Date() }, entities: toEntityTables([model]) });
  const entities = [defineEntity({ model, access: anybody })];
  const services = ['notes', 'auth', 'docs', 'twice', 'twice'].map((name) =>
    defineService({ name, actions: { ping } }),
  );
  expect(problemsOf(() => createEntities({ entities, services, stores }))).toEqual([
    'notes: other routes use this name; give this service another one.',
    'twice: other routes use this name; give this service another one.',
  ]);
});

it('reports entitlements that no record offers a resource for', () => {
  const definition = defineAccess({
    entities: { note: { roles: ['reader'] } },
    entitlements: { 'note:read': { roles: ['reader'] } },
  });
  const read = rules.entitlement('note:read');
  const stores = createMemoryStores({ clock: { now: () => new Date() }, entities: toEntityTables([model]) });
  const entity = defineEntity({ model, definition, access: { ...anybody, get: read } });
  const access = { definition, contextFor: () => expect.unreachable() };
  const service = defineService({ name: 'reader', definition, actions: { go: action({ rule: read, handler: done }) } });
  expect(problemsOf(() => createEntities({ entities: [entity], services: [service], stores }))).toEqual([
    'notes: uses an access definition, and the app has none; give it the same one: access: { definition }.',
    'reader: uses an access definition, and the app has none; give it the same one: access: { definition }.',
  ]);
  expect(problemsOf(() => createEntities({ entities: [entity], stores, access }))).toEqual([
    "notes, get: `note:read` can't be checked: a record is not a resource of its type, and does not refer to one.",
  ]);
  const unknown = (resource: { type: string; creatorRole?: string }): readonly string[] =>
    problemsOf(() =>
      defineEntity({ model, definition, access: anybody, resource: resource as never, recordAccess: ['x:y' as never] }),
    );
  expect(unknown({ type: 'task' })).toEqual([
    'notes: there is no type `task` of resource.',
    'notes.recordAccess: there is no entitlement `x:y`.',
  ]);
  expect(unknown({ type: 'note', creatorRole: 'king' })).toEqual([
    'notes: there is no role `king` on a note.',
    'notes.recordAccess: there is no entitlement `x:y`.',
  ]);
});

it('refuses resources whose rows could be deleted without removing them from the hierarchy', () => {
  const definition = defineAccess({ entities: { note: { roles: ['reader'] } }, entitlements: {} });
  const access = { definition, contextFor: () => expect.unreachable() };
  const label = defineModel('labels', { fields: { name: field.text() } });
  const labelled = defineModel('labelled', {
    fields: { labelId: field.uuid({ references: 'labels', onDelete: 'cascade' }) },
    parent: 'labelId',
  });
  const entities = [
    defineEntity({ model: label, access: anybody }),
    defineEntity({ model: labelled, definition, resource: { type: 'note' }, access: anybody }),
  ];
  const tables = toEntityTables([label, labelled]);
  const stores = createMemoryStores({ clock: { now: () => new Date() }, entities: tables });
  expect(problemsOf(() => createEntities({ entities, stores, access }))).toEqual([
    'labelled.labelId: cascade of a resource is only possible from the resource that is its parent.',
  ]);
});

it('runs actions in process with the same checks as over HTTP', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() }, entities: toEntityTables([model]) });
  const own = rules.where({ ownerId: rules.user.id });
  const named = { name: 'notes', model };
  const notes = defineEntity({
    model,
    access: { ...anybody, get: own },
    actions: {
      rename: recordAction(model, {
        input: z.strictObject({ title: z.string().min(1) }),
        output: z.strictObject({ title: z.string() }),
        rule: rules.role('admin'),
        async handler({ input, record, entities, transaction }) {
          await transaction(async (inside) => {
            // One that fails undoes what it did itself, and nothing else.
            const wrong = await inside.entities.update(named, record.id, { title: 7 as never });
            const renamed = await inside.entities.update(named, record.id, { title: input.title });
            expect([wrong.ok, renamed.ok]).toEqual([false, true]);
          });
          const got = await entities.get(named, record.id);
          return { title: got.ok ? got.value.record.title : '' };
        },
      }),
    },
  });
  const app = createEntities({ entities: [notes], stores });
  const ada = { userId: 'ada', tenantId: null, role: 'admin', secondFactorAt: null };
  const created = await app.as(ada).create(notes, { ownerId: 'ada', title: 'First' });
  const id = created.ok ? created.value.record.id : '';
  expect(await app.as(ada).act(notes, 'rename', { id, input: { title: 'Second' } })).toMatchObject({
    ok: true,
    value: { title: 'Second' },
  });
  const codeOf = async (caller: typeof ada, input: { title: string }): Promise<unknown> => {
    const outcome = await app.as(caller).act(notes, 'rename', { id, input });
    return outcome.ok || outcome.error.code;
  };
  expect(await codeOf(ada, { title: '' })).toBe('VALIDATION_FAILED');
  expect(await codeOf({ ...ada, userId: 'bob' }, { title: 'x' })).toBe('NOT_FOUND');
  expect(await codeOf({ ...ada, role: 'user' }, { title: '' })).toBe('FORBIDDEN');
  const system = await app.asSystem().act(notes, 'rename', { id, input: { title: 'Third' } });
  expect(system).toMatchObject({ ok: true, value: { title: 'Third' } });
  await expect(
    app.as(ada).act({ name: 'no', actions: notes.actions }, 'rename', { id, input: { title: 'x' } }),
  ).rejects.toThrow(TypeError);
});
