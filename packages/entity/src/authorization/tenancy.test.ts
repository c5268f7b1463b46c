import { rules } from '@x/access';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all } from '@x/store/where';
import { action, recordAction } from '../action/action.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { Entity } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany } from '../model/model.ts';
import { engines, openTracker, type TrackerResponse } from '../testing/tracker-app.ts';

const tenantId = field.text({ serverValue: (caller) => caller.tenantId });
const anybody = rules.authenticated();
const everything = { list: anybody, get: anybody, create: anybody, update: anybody, delete: anybody, bulk: anybody };

const paperModel = defineModel('papers', {
  fields: { tenantId, title: field.text() },
  relations: { sheets: hasMany('sheets', 'paperId') },
});

const sheetModel = defineModel('sheets', {
  fields: {
    tenantId,
    paperId: field.uuid({ references: 'papers', onDelete: 'cascade' }),
    otherId: field.uuid({ references: 'papers', nullable: true }),
    text: field.text(),
  },
  relations: { paper: belongsTo('paperId'), other: belongsTo('otherId') },
  parent: 'paperId',
});

const entities: readonly Entity[] = [
  defineEntity({
    model: paperModel,
    tenant: 'tenantId',
    access: everything,
    actions: {
      read: recordAction(paperModel, { method: 'GET', rule: rules.public, handler: ({ record }) => record.title }),
      stamp: recordAction(paperModel, { rule: anybody, handler: ({ record }) => record.title }),
      titles: action({
        rule: anybody,
        async handler({ entities: api }) {
          const page = await api.list({ name: 'papers', model: paperModel });
          return page.ok ? page.value.items.map(({ title }) => title) : [];
        },
      }),
      find: action({
        input: z.strictObject({ id: z.string() }),
        rule: anybody,
        handler: async ({ input, entities: api }) =>
          (await api.get({ name: 'papers', model: paperModel }, input.id)).ok,
      }),
    },
  }),
  defineEntity({ model: sheetModel, tenant: 'tenantId', access: everything }),
];

function summaryOf({ status, body }: TrackerResponse): unknown {
  return [status, body?.error?.code];
}

describe.each(engines)('a tenant on %s', (engine) => {
  it('restricts its users to its own records in every operation and action', async () => {
    const { send, add, callers, stores } = await openTracker(engine, entities);
    callers.set('ada', { tenantId: 'one' }).set('bob', { tenantId: 'two' }).set('eve', { tenantId: null });
    const paper = await add('ada', 'papers', { title: 'P' });
    const sheet = await add('ada', 'sheets', { paperId: paper, text: 'S' });
    const own = await add('bob', 'papers', { title: 'Q' });

    const nowhere = '00000000-0000-4000-8000-000000000000';
    for (const user of ['bob', 'eve']) {
      for (const [request, body] of [
        [`GET /papers/${paper}`],
        [`GET /sheets/${sheet}?include=paper`],
        [`PATCH /papers/${paper}`, { title: 'X' }],
        [`PATCH /papers/${paper}`, {}],
        [`DELETE /papers/${paper}`],
        [`POST /papers/${paper}/stamp`],
        [`GET /papers/${paper}/read`],
        ['POST /papers/bulk', { update: [{ id: paper, title: 'X' }] }],
        ['POST /papers/bulk', { delete: [paper] }],
      ] as const) {
        const hidden = await send(user, request, body);
        const missing = await send(user, request.replace(paper, nowhere), mapIds(body, paper, nowhere));
        expect([request, summaryOf(hidden), hidden.text]).toEqual([request, [404, 'NOT_FOUND'], missing.text]);
      }
      const foreign = await send(user, 'POST /sheets', { paperId: paper, text: 'X' });
      expect(summaryOf(foreign)).toEqual([403, 'FORBIDDEN']);
    }
    const listed = (await send('bob', 'GET /papers?count=true&include=sheets')).body;
    expect(listed).toMatchObject({ total: 1, items: [{ id: own, sheets: [] }] });
    expect((await send('eve', 'GET /papers?count=true')).body).toMatchObject({ total: 0, items: [] });
    const filter = { where: { OR: [{ tenantId: 'one' }, { title: 'P' }] } };
    expect((await send('bob', 'POST /papers/query', filter)).body.items).toEqual([]);
    expect((await send('bob', 'POST /papers/titles')).body).toEqual(['Q']);
    expect((await send('bob', 'POST /papers/find', { id: paper })).text).toBe('false');
    expect(summaryOf(await send(null, `GET /papers/${paper}/read`))).toEqual([401, 'UNAUTHENTICATED']);
    const kept = await stores.entities.get('papers', paper, all);
    expect(kept).toMatchObject({ version: 1, row: { title: 'P', tenantId: 'one' } });
  });

  it('is taken from the session alone', async () => {
    const { send, add, callers } = await openTracker(engine, entities);
    callers.set('ada', { tenantId: 'one' }).set('bob', { tenantId: 'two' }).set('eve', { tenantId: null });
    const paper = await add('ada', 'papers', { title: 'P' });
    for (const request of ['POST /papers', `PATCH /papers/${paper}`]) {
      const chosen = await send('ada', request, { title: 'X', tenantId: 'two' });
      expect(summaryOf(chosen)).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect((await send('ada', 'POST /papers', { title: 'X', tenantId: 'one' })).status).toBe(201);
    expect(summaryOf(await send('bob', 'GET /papers?tenantId=one'))).toEqual([400, 'INVALID_QUERY']);
    expect(summaryOf(await send('eve', 'POST /papers', { title: 'X' }))).toEqual([403, 'FORBIDDEN']);
    const own = await add('bob', 'papers', { title: 'Q' });
    const sheet = await add('bob', 'sheets', { paperId: own, text: 'S' });
    // Nor does a reference lead out of it.
    const led = await send('bob', `PATCH /sheets/${sheet}`, { otherId: paper });
    expect(summaryOf(led)).toEqual([409, 'CONFLICT']);
    callers.set('bob', { tenantId: 'one' });
    expect((await send('bob', 'GET /papers?count=true')).body).toMatchObject({ total: 2 });
  });
});

function mapIds(body: object | undefined, from: string, to: string): unknown {
  return body && JSON.parse(JSON.stringify(body).replaceAll(from, to));
}
