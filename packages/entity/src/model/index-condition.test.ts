import { anonymous, rules } from '@x/access';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';
import { defineModel } from './define-model.ts';
import { field } from './field.ts';
import type { CreateInputOf } from './model.ts';

const model = defineModel('pages', {
  fields: {
    slug: field.text({ maxLength: 100 }),
    state: field.enum(['draft', 'open'], { default: 'draft' }),
    price: field.decimal(6, 2, { nullable: true }),
    day: field.date({ nullable: true }),
    code: field.text({ nullable: true, maxLength: 100 }),
    archivedAt: field.timestamp({ nullable: true }),
  },
  indexes: [['state', 'slug:desc'], { fields: ['slug:desc'], where: { state: 'open', price: { gt: '1.50' } } }],
  unique: [
    { fields: ['slug'], where: { archivedAt: null } },
    { fields: ['code'], where: { OR: [{ price: { gte: '10.00' } }, { day: { in: ['2026-01-31'] } }], state: 'open' } },
  ],
});

const everybody = { list: rules.public, get: rules.public, create: rules.public, update: rules.public };
const pages = defineEntity({ model, access: { ...everybody, delete: false } });

describe.each(engines)('an index of some records on %s', (engine) => {
  it('refuses equal values of those records alone that satisfy its condition', async () => {
    const stores = await openEngine(engine, [model]);
    const app = createEntities({ entities: [pages], stores }).as({ ...anonymous });
    const create = async (input: CreateInputOf<typeof model>): Promise<string> => {
      const created = await app.create(pages, input);
      return created.ok ? created.value.record.id : `${created.error.code} ${String(created.error.issues?.[0]?.path)}`;
    };
    const first = await create({ slug: 'a' });
    expect(await create({ slug: 'a' })).toBe('CONFLICT slug');
    expect((await app.update(pages, first, { archivedAt: new Date() })).ok).toBe(true);
    const second = await create({ slug: 'a' });
    expect(second).not.toContain('CONFLICT');
    expect(await app.update(pages, first, { archivedAt: null })).toMatchObject({ error: { code: 'CONFLICT' } });
    const open = { state: 'open', code: 'x' } as const;
    await create({ slug: 'b', ...open, price: '10.00' });
    expect(await create({ slug: 'c', ...open, price: '9.99' })).not.toContain('CONFLICT');
    expect(await create({ slug: 'd', ...open, day: '2026-01-31' })).toBe('CONFLICT code');
    expect(await create({ slug: 'e', code: 'x', price: '10.00' })).not.toContain('CONFLICT');
  });

  it('is no key to create or change records by', async () => {
    const stores = await openEngine(engine, [model]);
    const served = serveEntities(createEntities({ entities: [pages], stores }), { ...anonymous });
    const response = await served.request('/pages/upsert', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ by: 'slug', record: { slug: 'a' } }),
    });
    expect([404, 405]).toContain(response.status);
  });
});
