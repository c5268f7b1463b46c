import { anonymous, rules } from '@x/access';
import { eq } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;
const model = defineModel('notes', {
  fields: { title: field.text(), meta: field.json(), aboutId: field.uuid({ references: 'notes', nullable: true }) },
  relations: { about: belongsTo('aboutId') },
});

it('takes filters that a row alone decides, and refuses those on related records and on values in JSON', async () => {
  const stores = createMemoryStores({ entities: toEntityTables([model]) });
  const entities = createEntities({ entities: [defineEntity({ model, access })], stores });
  const watch = (where: object) => entities.watch(anonymous, 'notes', { where });
  expect(await watch({ title: 'x' })).toMatchObject({ where: eq('title', 'x') });
  for (const where of [{ 'about.title': 'x' }, { 'meta.a': 'x' }, { OR: [{ NOT: { 'meta.a': { isNull: true } } }] }]) {
    await expect(watch(where), JSON.stringify(where)).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  }
  await stores.close();
});
