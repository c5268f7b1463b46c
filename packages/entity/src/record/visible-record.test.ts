import { anonymous, rules, type RuleCaller } from '@x/access';
import { storeUnavailable } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { openGuardedTracker } from '../testing/guarded-tracker.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';
import { openTracker } from '../testing/tracker-app.ts';

const fields = {
  ownerId: field.text({ serverValue: ({ userId }) => userId }),
  slug: field.text({ unique: true }),
  state: field.enum(['draft', 'secret'], { default: 'draft' }),
};
const reports = defineEntity({
  model: defineModel('reports', { fields }),
  access: {
    list: rules.public,
    get: rules.any(rules.role('auditor'), rules.where({ state: 'draft' })),
    ...{ create: rules.public, update: rules.public, delete: false, bulk: rules.public },
  },
});
const messages = defineEntity({
  model: defineModel('messages', { fields: { body: field.text() } }),
  access: { list: false, get: false, create: rules.public, update: false, delete: false, bulk: rules.public },
});
const confidential = rules.all(rules.where({ ownerId: rules.user.id }), rules.fva(300));
const diaries = defineEntity({
  model: defineModel('diaries', { fields: { ownerId: fields.ownerId } }),
  access: { list: confidential, get: confidential, create: rules.authenticated(), update: false, delete: false },
});
const entities = [reports, messages, diaries];

interface Answer {
  readonly status: number;
  readonly body: { readonly id: string; readonly created: unknown; readonly updated: unknown };
  readonly location: string | null;
}

async function openApp(engine: (typeof engines)[number], role = 'user') {
  const stores = await openEngine(
    engine,
    entities.map(({ model }) => model),
  );
  const app = createEntities({ entities, stores });
  const caller: RuleCaller = { ...anonymous, role, userId: 'ada' as never };
  const served = serveEntities(app, caller);
  const send = async (method: string, path: string, body: object): Promise<Answer> => {
    const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await served.request(path, init);
    const location = response.headers.get('location');
    return { status: response.status, body: JSON.parse(await response.text()) as Answer['body'], location };
  };
  return { app, caller, send };
}

describe.each(engines)('the answer to a write, on %s', (engine) => {
  it('is the record as the caller would get it, and its id alone if they may not read it', async () => {
    const { send, app, caller } = await openApp(engine);
    const draft = await send('POST', '/reports', { slug: 'a' });
    expect(draft).toMatchObject({ status: 201, body: { slug: 'a', state: 'draft' } });
    const secret = await send('POST', '/reports', { slug: 'b', state: 'secret' });
    const { id } = secret.body;
    expect(secret).toEqual({ status: 201, body: { id: expect.any(String) as string }, location: `/reports/${id}` });
    const hidden = await send('PATCH', `/reports/${draft.body.id}`, { state: 'secret' });
    expect(hidden).toMatchObject({ status: 200, body: { id: draft.body.id } });
    expect(Object.keys(hidden.body)).toEqual(['id']);
    const inProcess = await app.as(caller).create(reports, { slug: 'c', state: 'secret' });
    expect(inProcess.ok && Object.keys(inProcess.value.record)).toEqual(['id']);
    const bySystem = await app
      .asSystem({ userId: 'ada', tenantId: null })
      .create(reports, { slug: 'd', state: 'secret' });
    expect(bySystem.ok && bySystem.value.record.slug).toBe('d');
  });

  it('is the same for several records, and for an upsert', async () => {
    const { send } = await openApp(engine);
    const { body: draft } = await send('POST', '/reports', { slug: 'a' });
    const { body } = await send('POST', '/reports/bulk', {
      create: [{ slug: 'b', state: 'secret' }, { slug: 'c' }],
      update: [{ id: draft.id, state: 'secret' }],
    });
    const idAlone = { id: expect.any(String) as string };
    expect(body.created).toEqual([idAlone, expect.objectContaining({ slug: 'c' })]);
    expect(body.updated).toEqual([{ id: draft.id }]);
    const upserted = await send('POST', '/reports/upsert', { by: 'slug', record: { slug: 'e', state: 'secret' } });
    expect(upserted).toMatchObject({ status: 201, body: idAlone });
    expect(Object.keys(upserted.body)).toEqual(['id']);
  });

  it('is the whole record to callers whose role lets them read it', async () => {
    const { send } = await openApp(engine, 'auditor');
    const secret = await send('POST', '/reports', { slug: 'a', state: 'secret' });
    expect(secret.body).toMatchObject({ slug: 'a', state: 'secret' });
  });

  it('is the id alone where no caller may read, and where a second factor is missing', async () => {
    const { send } = await openApp(engine);
    for (const [path, body] of [
      ['/messages', { body: 'Hello' }],
      ['/diaries', {}],
    ] as const) {
      const created = await send('POST', path, body);
      expect([created.status, Object.keys(created.body)]).toEqual([201, ['id']]);
    }
    const { body } = await send('POST', '/messages/bulk', { create: [{ body: 'Hello' }] });
    expect(body.created).toEqual([{ id: expect.any(String) as string }]);
  });
});

it('is the id alone if a store can not say which fields may be shown, for the write is done', async () => {
  const { projectId, send, stores } = await openGuardedTracker('memory');
  const create = stores.entities.create.bind(stores.entities);
  vi.spyOn(stores.entities, 'create').mockImplementation(async (...given) => {
    const created = await create(...given);
    vi.spyOn(stores.roleAssignments, 'readPaths').mockRejectedValue(storeUnavailable());
    return created;
  });
  const created = await send('ada', 'POST /boards', { projectId, title: 'B', isOpen: true });
  expect([created.status, Object.keys(created.body)]).toEqual([201, ['id']]);
  vi.restoreAllMocks();
  expect((await send('ada', `GET /boards/${created.body.id}`)).body).toMatchObject({ title: 'B', plan: 'plan' });
});

it('is the id alone if a store fails after the commit, for the write is done', async () => {
  const { organizationOf, add, send, stores } = await openTracker('memory');
  const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
  const transaction = stores.transaction.bind(stores);
  const fail = (): never => {
    throw storeUnavailable();
  };
  const failing = vi.spyOn(stores, 'transaction').mockImplementation(async (work, options) => {
    const outcome = await transaction(work, options);
    for (const name of ['readPaths', 'hasRoleNow'] as const) {
      vi.spyOn(stores.roleAssignments, name).mockImplementation(fail);
    }
    return outcome;
  });
  const created = await send('ada', 'POST /tasks', { projectId, title: 'T' });
  expect([created.status, Object.keys(created.body)]).toEqual([201, ['id']]);
  failing.mockRestore();
  vi.restoreAllMocks();
  expect((await send('ada', `GET /tasks/${created.body.id}`)).body).toMatchObject({ title: 'T' });
});
