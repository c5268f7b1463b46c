import { type Rule, rules } from '@x/access';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineModel, field, toEntityTables } from '../index.ts';
import { defineEntity } from './define-entity.ts';
import { findMissingIndex } from './find-missing-index.ts';
import type { Entity } from './entity.ts';

const own = rules.where({ ownerId: rules.user.id });
const shared = rules.where({ shared: true });

function notesWith(list: Rule | false, indexes: readonly (readonly string[])[] = [], tenant?: 'tenantId'): Entity {
  const model = defineModel('notes', {
    fields: {
      ownerId: field.text(),
      tenantId: field.text({ serverValue: ({ tenantId }) => tenantId ?? '' }),
      slug: field.text({ unique: true }),
      shared: field.boolean({ default: false }),
    },
    indexes,
  });
  const access = { list, get: false, create: false, update: false, delete: false } as const;
  return defineEntity({ model, access, ...(tenant && { tenant }) });
}

it.for<[string, Entity, readonly string[] | null]>([
  ['no list', notesWith(false), null],
  ['a list of everything', notesWith(rules.public), null],
  ['a list of own records', notesWith(rules.all(rules.authenticated(), own)), ['ownerId', 'id']],
  ['a list of own records with an index', notesWith(rules.all(own), [['ownerId', 'id']]), null],
  ['an index that begins with another field', notesWith(own, [['shared', 'ownerId']]), ['ownerId', 'id']],
  ['two conditions, one with an index', notesWith(rules.all(own, shared), [['shared']]), null],
  ['two conditions without', notesWith(rules.all(own, shared)), ['ownerId', 'shared', 'id']],
  ['a unique field', notesWith(rules.where({ slug: rules.user.id })), null],
  ['alternatives, one without an index', notesWith(rules.any(own, shared), [['ownerId']]), ['shared', 'id']],
  ['alternatives with indexes', notesWith(rules.any(own, shared), [['ownerId'], ['shared']]), null],
  ['alternatives in a tenant with an index', notesWith(rules.any(own, shared), [['tenantId']], 'tenantId'), null],
  ['a tenant without an index', notesWith(rules.authenticated(), [], 'tenantId'), ['tenantId', 'id']],
  ['a role or own records', notesWith(rules.any(rules.role('admin'), own)), ['ownerId', 'id']],
])('finds the index that is missing for %s', ([_name, entity, index]) => {
  expect(findMissingIndex(entity)).toEqual(index);
});

it('warns at the start, naming the index', () => {
  const warnings: unknown[] = [];
  const logger = { error() {}, info() {}, debug() {}, warn: (...entry: unknown[]) => void warnings.push(entry) };
  for (const entity of [notesWith(own), notesWith(own, [['ownerId', 'id']])]) {
    const stores = createMemoryStores({ entities: toEntityTables([entity.model]) });
    createEntities({ entities: [entity], stores, logger });
  }
  const message = "notes: its list reads every record; declare indexes: [['ownerId', 'id']]";
  expect(warnings).toEqual([[{ entity: 'notes', index: ['ownerId', 'id'] }, message]]);
});
