import { type Rule, rules } from '@x/access';
import { expect, it } from 'vitest';
import { createMemoryStores } from '@x/store-memory';
import { createEntities } from '../create-entities.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { problemsOf } from '../testing/problems-of.ts';
import { definition, trackerEntities } from '../testing/tracker.ts';
import { defineEntity } from './define-entity.ts';
import type { AccessMap, FieldAccessMap } from './entity.ts';

const model: Model = defineModel('notes', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text(),
    pinned: field.boolean({ default: false }),
    detail: field.json({ nullable: true }),
  },
});
const closed: AccessMap = { list: false, get: false, create: false, update: false, delete: false };

it('reports all problems together, each with its place', () => {
  const access = {
    list: rules.entitlement('note:read'),
    get: rules.any(rules.where({ nothing: 1 }), rules.where({ pinned: 'yes' }), rules.where({ detail: 'x' })),
    create: rules.where({ pinned: rules.user.id }),
    update: undefined,
    delete: { type: 'nonsense' } as unknown as Rule,
    bulk: rules.where({ ownerId: rules.user.id }),
    download: rules.public,
  } as unknown as AccessMap;
  expect(problemsOf(() => defineEntity({ model, access, tenant: 'title', maxLimit: 1001 }))).toEqual([
    'notes.access.download: unknown option; the known ones are list, get, create, update, delete, bulk, export, import, fields.',
    'notes.access.update: a rule is missing; `false` allows no caller.',
    'notes: the tenant title must be a text or uuid that the server sets.',
    'notes: maxLimit must be a whole number from 1 to 1000.',
    'notes.access.list: names the entitlement `note:read`, which no access `definition` declares.',
    'notes.access.get.any[0]: has a condition on `nothing`, which is not a field.',
    'notes.access.create: `pinned` never equals a string.',
    'notes.access.delete: is not a rule.',
    'notes.access.bulk: must not depend on records; each is checked by the rule of its own operation.',
  ]);
  const conditions = rules.any(rules.where({ pinned: 'yes' }), rules.where({ detail: 'x' }));
  expect(problemsOf(() => defineEntity({ model, access: { ...closed, get: conditions } }))).toEqual([
    'notes.access.get: `pinned` never equals a string.',
    'notes.access.get: `detail` never equals a string.',
  ]);
});

it('names the nearest field for one that a rule or the tenant misspells', () => {
  const access = { ...closed, get: rules.where({ pined: true }), fields: { titel: { read: false } } } as never;
  expect(problemsOf(() => defineEntity({ model, access, tenant: 'ownerid' as never }))).toEqual([
    'notes.access.fields.titel: is not a field, did you mean title?',
    'notes: the tenant ownerid is not a field, did you mean ownerId?',
    'notes.access.get: has a condition on `pined`, which is not a field, did you mean pinned?',
  ]);
});

it('reports rules of fields that have no effect, or make the entity useless', () => {
  const projects: Model = defineModel('projects', {
    fields: {
      orgId: field.uuid({ references: 'orgs' }),
      tenantId: field.text({ serverValue: ({ tenantId }) => tenantId }),
      name: field.text(),
      score: field.integer({ default: 0, readOnly: true }),
      secret: field.text({ nullable: true, hidden: true }),
      note: field.text({ nullable: true }),
    },
    parent: 'orgId',
  });
  const fields = {
    nothing: { read: false },
    createdAt: { read: false },
    orgId: { read: rules.authenticated() },
    tenantId: { read: false, write: rules.public },
    name: { write: false },
    score: { read: rules.where({ nothing: 1 }), write: rules.public },
    secret: { read: rules.public, write: rules.public },
    note: { read: rules.where({ score: 'x' }), write: rules.entitlement('project:read'), delete: rules.public },
    __proto__: {},
    toString: {},
  } as unknown as FieldAccessMap;
  const access = { ...closed, create: rules.public, fields };
  const place = 'projects.access.fields';
  expect(problemsOf(() => defineEntity({ model: projects, access, tenant: 'tenantId' }))).toEqual([
    `${place}.nothing: is not a field.`,
    `${place}.createdAt: every record shows it, and no caller can write it.`,
    `${place}.orgId: is the parent, which everybody who sees a record knows.`,
    `${place}.tenantId: is the tenant, which everybody who sees a record knows.`,
    `${place}.tenantId: callers can never write it.`,
    `${place}.name: no caller could create a record: give it a default, or let it be null.`,
    `${place}.score: callers can never write it.`,
    `${place}.secret: is hidden, so no caller can read it.`,
    `${place}.secret: callers can never write it.`,
    `${place}.note.delete: unknown option; the known ones are read, write.`,
    `${place}.toString: is not a field.`,
    `${place}.score.read: has a condition on \`nothing\`, which is not a field.`,
    `${place}.note.read: \`score\` never equals a string.`,
    `${place}.note.write: names the entitlement \`project:read\`, which no access \`definition\` declares.`,
  ]);
  expect(problemsOf(() => defineEntity({ model, access: { ...closed, fields: { title: {} } } }))).toEqual([
    'notes.access.fields.title: has no rule.',
  ]);
});

it('finds the resource for the entitlements in rules of fields, or reports that there is none', () => {
  const ofTasks = rules.entitlement('task:read');
  const boards = defineModel('boards', {
    fields: { taskId: field.uuid({ references: 'tasks', nullable: true }), name: field.text() },
  });
  const access = { ...closed, fields: { name: { read: rules.entitlement('project:read'), write: ofTasks } } };
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const open = { entities: [...trackerEntities, defineEntity({ model: boards, access, definition })], stores };
  const source = { definition, contextFor: () => never() };
  expect(problemsOf(() => createEntities({ ...open, access: source }))).toEqual([
    "boards, reading name: `project:read` can't be checked: a record is not a resource of its type, and does not refer to one.",
  ]);
  const revealing = defineEntity({
    model: boards,
    definition,
    recordAccess: ['task:read'],
    access: { ...closed, fields: { taskId: { read: ofTasks } } },
  });
  expect(
    problemsOf(() => createEntities({ entities: [...trackerEntities, revealing], stores, access: source })),
  ).toEqual(['boards.recordAccess: would reveal taskId, which has a read rule.']);
});

function never(): never {
  throw new TypeError('This is never called.');
}

it('exposes operations with a rule and no others', () => {
  const entity = defineEntity({ model, access: { ...closed, get: rules.public, bulk: false } });
  expect([...entity.rules.keys()]).toEqual(['get']);
});

it('refuses entities whose name another entity has', () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const named = (name: string) => defineEntity({ model: defineModel(name, { fields: {} }), access: closed });
  expect(problemsOf(() => createEntities({ entities: [named('a'), named('a')], stores }))).toEqual([
    'a: two entities have this name',
  ]);
});
