import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createEntityServer, type EntityServer, patch, remove } from '../support/entity-server.ts';
import { engines } from '../support/test-server.ts';

const signedIn = rules.authenticated();
const access = { list: signedIn, get: signedIn, create: signedIn, update: signedIn, delete: signedIn, bulk: signedIn };

const folders = defineEntity({ model: defineModel('folders', { fields: { name: field.text() } }), access });
const sheets = defineEntity({
  model: defineModel('sheets', {
    audit: true,
    fields: {
      name: field.text(),
      folderId: field.uuid({ nullable: true, references: 'folders', onDelete: 'cascade' }),
    },
  }),
  access,
});

/** Lists the changes of records in the log of a tenant, the oldest first. */
async function listRecorded({ server }: EntityServer, tenantId: string): Promise<readonly Partial<EventRecord>[]> {
  const { items } = await server.stores.events.listByTenant(tenantId, { limit: 100, after: null });
  return items.filter(({ type }) => type.startsWith('record.')).toReversed();
}

describe.each(engines)('an audited entity on %s', (engine) => {
  it('logs who changed which record, in the tenant they work in, and no values', async () => {
    const test = await createEntityServer({ engine, entities: [folders, sheets] });
    const { browser, userId: by } = await test.signUp({ tenantId: 'acme' });
    const folder = (await browser.post('/api/folders', { name: 'Folder' })).body.id;
    const { id } = (await browser.post('/api/sheets', { name: 'secret', folderId: folder })).body;
    test.clock.advance(1);
    await patch(browser, `/api/sheets/${id}`, { name: 'another secret' });
    test.clock.advance(1);
    await remove(browser, `/api/folders/${folder}`);

    const recorded = await listRecorded(test, 'acme');
    expect(recorded.map(({ type, detail }) => [type, detail])).toEqual([
      ['record.created', { entity: 'sheets', ids: [id], by }],
      ['record.updated', { entity: 'sheets', ids: [id], fields: ['name', 'updatedAt'], by }],
      ['record.deleted', { entity: 'sheets', ids: [id], by }],
    ]);
    expect(JSON.stringify(recorded)).not.toContain('secret');
  });

  it('logs what several changes at once did, and nothing of those that fail', async () => {
    const test = await createEntityServer({ engine, entities: [folders, sheets] });
    const { browser } = await test.signUp({ tenantId: 'acme' });
    const creations = ['one', 'two'].map((name) => ({ name }));
    expect((await browser.post('/api/sheets/bulk', { create: creations })).status).toBe(200);
    expect((await browser.post('/api/sheets/bulk', { create: [{ name: 'three' }, {}] })).status).toBe(400);
    const created = (await listRecorded(test, 'acme')).flatMap(({ detail }) => detail?.['ids']);
    expect(created).toHaveLength(2);
    test.clock.advance(1);
    expect((await browser.post('/api/sheets/bulk', { delete: created })).status).toBe(200);
    const deleted = (await listRecorded(test, 'acme')).filter(({ type }) => type === 'record.deleted');
    expect(new Set(deleted.flatMap(({ detail }) => detail?.['ids']))).toEqual(new Set(created));
  });
});
