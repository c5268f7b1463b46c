import { type Rule, rules } from '@x/access';
import { expect, it } from 'vitest';
import { field } from '../field/field.ts';
import { defineModel } from '../model/define-model.ts';
import type { Model } from '../model/model.ts';
import { createEntities } from '../pipeline/create-entities.ts';
import { createMemoryStores } from '@x/store-memory';
import { defineEntity } from './define-entity.ts';
import type { AccessMap } from './entity.ts';
import { problemsOf } from '../testing/problems-of.ts';

const model: Model = defineModel('notes', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text(),
    pinned: field.boolean({ default: false }),
    detail: field.json({ nullable: true }),
  },
});
const nobody: AccessMap = { list: false, get: false, create: false, update: false, delete: false };

it('reports all problems together, each by its place', () => {
  const access = {
    list: rules.entitlement('note:read'),
    get: rules.any(rules.where({ nothing: 1 }), rules.where({ pinned: 'yes' }), rules.where({ detail: 'x' })),
    create: rules.where({ pinned: rules.user.id }),
    update: undefined,
    delete: { type: 'nonsense' } as unknown as Rule,
    bulk: rules.where({ ownerId: rules.user.id }),
    export: rules.public,
  } as unknown as AccessMap;
  expect(problemsOf(() => defineEntity({ model, access, tenant: 'title', maxLimit: 1001 }))).toEqual([
    'notes.access.export: there is no such operation.',
    'notes.access.update: a rule is missing; `false` is for nobody.',
    'notes: the tenant title has to be a text or uuid that the server sets.',
    'notes: maxLimit is a whole number from 1 to 1000.',
    'notes.access.list: `definition` has to say what `note:read` takes.',
    'notes.access.get.any[0]: has a condition on `nothing`, which is no field.',
    'notes.access.create: `pinned` never equals a string.',
    'notes.access.delete: is no rule.',
    'notes.access.bulk: asks something of records; each change goes by the rule of its own operation anyway.',
  ]);
  const conditions = rules.any(rules.where({ pinned: 'yes' }), rules.where({ detail: 'x' }));
  expect(problemsOf(() => defineEntity({ model, access: { ...nobody, get: conditions } }))).toEqual([
    'notes.access.get: `pinned` never equals a string.',
    'notes.access.get: `detail` never equals a string.',
  ]);
});

it('exposes what has a rule and nothing else', () => {
  const entity = defineEntity({ model, access: { ...nobody, get: rules.public, bulk: false } });
  expect([...entity.rules.keys()]).toEqual(['get']);
});

it('refuses entities whose names other routes have, or that are there twice', () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const named = (name: string) => defineEntity({ model: defineModel(name, { fields: {} }), access: nobody });
  expect(problemsOf(() => createEntities({ entities: [named('auth'), named('docs')], stores }))).toEqual([
    'auth: other routes have this name.',
    'docs: other routes have this name.',
  ]);
  expect(problemsOf(() => createEntities({ entities: [named('a'), named('a')], stores }))).toEqual([
    'a: two entities have this name',
  ]);
});
