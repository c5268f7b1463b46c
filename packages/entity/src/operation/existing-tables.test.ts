import { anonymous } from '@x/access';
import { MigrationError } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { createLegacyShop, shopOn, type LegacyShop } from '../testing/legacy-shop.ts';
import { type Engine, engines } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Body;
}

/** The members of bodies that tests look at; which ones exist depends on the route. */
interface Body extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly items: readonly Body[];
  readonly orders: readonly Body[];
  readonly created: readonly Body[];
  readonly deleted: readonly string[];
  readonly groups: readonly unknown[];
  readonly customer: Body;
  readonly balance: string;
  readonly nextCursor: string;
  readonly error: { readonly code: string; readonly issues: unknown };
}

type Send = (request: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** Serves the shop to Ada. */
async function openShop(engine: Engine): Promise<{ readonly send: Send; readonly shop: LegacyShop }> {
  const shop = await createLegacyShop(engine);
  const entities = shopOn(engine);
  const stores = await shop.open(entities.map(({ model }) => model));
  const app = serveEntities(createEntities({ entities, stores }), { ...anonymous, userId: 'ada' });
  const send: Send = async (request, body, headers = {}) => {
    const [method = 'GET', path = '/'] = request.split(' ');
    const response = await app.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Body,
    };
  };
  return { send, shop };
}

const ada = (number: number) => ({ ownerId: 'ada', email: `ada${number}@example.com` });

describe.each(engines)('an existing table on %s', (engine) => {
  it('serves records with the ids that the database makes, sorted by size', async () => {
    const { send } = await openShop(engine);
    const created = await send('POST /customers', {
      ...ada(1),
      balance: '12.5',
      since: '2020-02-29',
      seen: '2026-01-31T10:00:00.123Z',
      tags: { a: [1] },
      kind: '3F2B6C1E-8D4A-4F7B-9C5D-2E1A0B9C8D7F',
    });
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      id: '1',
      ...ada(1),
      balance: '12.50',
      active: true,
      since: '2020-02-29',
      seen: '2026-01-31T10:00:00.123Z',
      tags: { a: [1] },
      kind: '3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f',
    });
    for (let number = 2; number <= 11; number += 1) await send('POST /customers', ada(number));
    const list = async (query: string) => (await send(`GET /customers?${query}`)).body.items.map((each) => each.id);
    expect(await list('limit=100')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11']);
    expect(await list('orderBy=id:desc&limit=2')).toEqual(['11', '10']);
    expect(await list('where[id][gt]=9')).toEqual(['10', '11']);
    expect(await list('where[id][in]=2,11')).toEqual(['2', '11']);
    expect(await list('where[seen][gte]=2026-01-31T10:00:00.123Z')).toEqual(['1']);
    expect(await list('where[since][in]=2020-02-29,2020-03-01')).toEqual(['1']);
    expect(await list('where[balance][gt]=12.49')).toEqual(['1']);
    expect(await list('where[kind]=3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f')).toEqual(['1']);
    expect(await list('where[email][istartsWith]=ADA1')).toEqual(['1', '10', '11']);
    const page = (await send('GET /customers?orderBy=seen,id&limit=3')).body;
    expect(page.items.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(await list(`orderBy=seen,id&limit=3&after=${page.nextCursor}`)).toEqual(['4', '5', '6']);
    expect((await send('GET /customers/1')).body).toEqual(created.body);
  });

  it('takes one spelling of an id alone', async () => {
    const { send } = await openShop(engine);
    await send('POST /customers', ada(1));
    for (const id of ['01', '+1', '1.0', '-0', 'x', '9223372036854775808', '1%20']) {
      expect((await send(`GET /customers/${id}`)).status).toBe(404);
      expect((await send(`DELETE /customers/${id}`)).status).toBe(404);
      expect(
        (await send('GET /customers?' + new URLSearchParams({ 'where[id]': decodeURIComponent(id) }).toString()))
          .status,
      ).toBe(400);
    }
    expect((await send('GET /customers/9223372036854775807')).status).toBe(404);
    expect((await send('GET /customers/1')).status).toBe(200);
    expect((await send('POST /orders', { id: 'a', customerId: 1 })).status).toBe(400);
    expect((await send('POST /orders', { id: 'a', customerId: '9223372036854775807' })).status).toBe(409);
  });

  it('has ids that callers choose, once', async () => {
    const { send } = await openShop(engine);
    await send('POST /customers', ada(1));
    expect((await send('POST /orders', { customerId: '1' })).body.error.issues).toMatchObject([{ path: ['id'] }]);
    const created = await send('POST /orders', { id: 'A/1 ü', customerId: '1', weight: 1.5 });
    expect(created).toMatchObject({ status: 201, etag: '"1"', body: { id: 'A/1 ü', customerId: '1', weight: 1.5 } });
    expect((await send('POST /orders', { id: 'A/1 ü', customerId: '1' })).status).toBe(409);
    const path = `/orders/${encodeURIComponent('A/1 ü')}`;
    expect((await send(`PATCH ${path}`, { id: 'B', weight: 2 })).body).toMatchObject({ id: 'A/1 ü', weight: 2 });
    expect((await send(`GET ${path}?include=customer`)).body.customer).toMatchObject({
      id: '1',
      email: 'ada1@example.com',
    });
    expect((await send(`DELETE ${path}`)).status).toBe(204);
  });

  it('leads to related records, and sorts and filters by them', async () => {
    const { send } = await openShop(engine);
    for (const number of [1, 2])
      await send('POST /customers', { ...ada(number), seen: `2026-01-0${3 - number}T00:00:00Z` });
    await send('POST /customers', { ownerId: 'bob', email: 'bob@example.com' });
    for (const [id, customerId] of [
      ['x', '1'],
      ['y', '2'],
      ['z', '1'],
    ])
      await send('POST /orders', { id, customerId });
    const list = async (query: string) => (await send(`GET /orders?${query}`)).body.items.map((each) => each.id);
    expect(await list('orderBy=customer.email,id')).toEqual(['x', 'z', 'y']);
    expect(await list('orderBy=customer.seen,id')).toEqual(['y', 'x', 'z']);
    expect(await list('where[customer.email]=ada2@example.com')).toEqual(['y']);
    const page = (await send('GET /orders?orderBy=customer.seen,id&limit=1')).body;
    expect(await list(`orderBy=customer.seen,id&after=${page.nextCursor}`)).toEqual(['x', 'z']);
    const { body } = await send('GET /customers/1?include=orders');
    expect(body.orders.map((each) => each.id)).toEqual(['x', 'z']);
    expect((await send('DELETE /customers/1')).status).toBe(409);
    const groups = await send('POST /customers/aggregate', {
      measures: { last: { max: 'seen' }, sum: { sum: 'balance' } },
    });
    expect(groups.body.groups).toEqual([{ key: {}, last: '2026-01-02T00:00:00.000Z', sum: '0.00' }]);
  });

  it('compares the tag of a record without a version in the statement', async () => {
    const { send } = await openShop(engine);
    const created = await send('POST /customers', ada(1));
    const tag = created.etag ?? '';
    expect(tag).toMatch(/^"\d+"$/);
    expect((await send('GET /customers/1', undefined, { 'if-none-match': tag })).status).toBe(304);
    const changed = await send('PATCH /customers/1', { balance: '1' }, { 'if-match': tag });
    expect(changed).toMatchObject({ status: 200, body: { balance: '1.00' } });
    expect(changed.etag).not.toBe(tag);
    expect((await send('PATCH /customers/1', { balance: '2' }, { 'if-match': tag })).status).toBe(412);
    expect((await send('DELETE /customers/1', undefined, { 'if-match': tag })).status).toBe(412);
    expect((await send('PATCH /customers/1', { balance: '0' })).etag).toBe(tag);
    expect((await send('DELETE /customers/1', undefined, { 'if-match': tag })).status).toBe(204);
  });

  it('keeps the rules of rows, unique keys, bulk and upsert', async () => {
    const { send } = await openShop(engine);
    expect((await send('POST /customers', { ownerId: 'bob', email: 'b@example.com' })).status).toBe(403);
    expect((await send('POST /customers', ada(1))).status).toBe(201);
    const taken = await send('POST /customers', ada(1));
    expect([taken.status, taken.body.error.issues]).toMatchObject([409, [{ path: ['email'] }]]);
    const upserted = await send('POST /customers/upsert', { by: 'email', record: { ...ada(1), balance: '3' } });
    expect([upserted.status, upserted.body.id, upserted.body.balance]).toEqual([200, '1', '3.00']);
    const bulk = await send('POST /customers/bulk', {
      create: [ada(2)],
      update: [{ id: '1', active: false }],
      updateWhere: { where: { active: true }, set: { balance: '5' } },
    });
    expect(bulk.body).toMatchObject({
      created: [{ email: 'ada2@example.com' }],
      updated: [
        { id: '1', balance: '3.00' },
        { id: '1', balance: '5.00' },
      ],
    });
    const id = bulk.body.created[0]?.id;
    expect((await send(`GET /customers/${id}`)).body.balance).toBe('0.00');
    expect(
      (await send('POST /customers/bulk', { deleteWhere: { where: { id: { in: ['1', id] } } } })).body.deleted,
    ).toEqual(['1', id]);
  });

  it('is what records of ours refer to', async () => {
    const { send } = await openShop(engine);
    for (let number = 1; number <= 10; number += 1) await send('POST /customers', ada(number));
    for (const id of ['x', 'y']) await send('POST /orders', { id, customerId: '2' });
    const visit = async (body: object) => send('POST /visits', body);
    const first = await visit({ customerId: '10', orderId: 'x' });
    expect(first).toMatchObject({ status: 201, etag: '"1"', body: { customerId: '10', orderId: 'x', page: '/' } });
    const second = await visit({ customerId: '9' });
    expect((await visit({ customerId: '9', orderId: 'z' })).status).toBe(409);
    expect((await visit({ customerId: '11' })).status).toBe(409);
    expect((await visit({ customerId: 9 })).status).toBe(400);
    expect((await visit({ customerId: '09' })).status).toBe(400);
    const list = async (query: string) => (await send(`GET /visits?${query}`)).body.items.map((each) => each.id);
    expect(await list('orderBy=customerId')).toEqual([second.body.id, first.body.id]);
    expect(await list('where[customerId][gt]=9')).toEqual([first.body.id]);
    expect(await list('where[customer.email]=ada9@example.com')).toEqual([second.body.id]);
    expect(await list('orderBy=customer.email')).toEqual([first.body.id, second.body.id]);
    expect((await send(`GET /visits/${first.body.id}?include=customer,order`)).body).toMatchObject({
      customer: { id: '10', email: 'ada10@example.com' },
      order: { id: 'x', customerId: '2' },
    });
    expect((await send('DELETE /orders/x')).status).toBe(204);
    expect(await send(`GET /visits/${first.body.id}`)).toMatchObject({ etag: '"2"', body: { orderId: null } });
    const moved = await send(`PATCH /visits/${first.body.id}`, { customerId: '1', orderId: 'y' });
    expect(moved).toMatchObject({ status: 200, etag: '"3"', body: { customerId: '1', orderId: 'y' } });
    expect((await send('DELETE /customers/9')).status).toBe(204);
    expect(await list('')).toEqual([first.body.id]);
  });

  it('serves a view, to be read only', async () => {
    if (engine === 'memory') return;
    const { send } = await openShop(engine);
    for (const number of [1, 2]) await send('POST /customers', ada(number));
    for (const id of ['x', 'y']) await send('POST /orders', { id, customerId: '2' });
    expect((await send('GET /spenders')).body.items).toEqual([{ id: '2', orders: 2 }]);
    expect((await send('GET /spenders/2')).body).toEqual({ id: '2', orders: 2 });
    expect((await send('GET /spenders?where[id][in]=1,2&where[orders][gte]=2')).body.items).toHaveLength(1);
    expect((await send('DELETE /spenders/2')).status).toBe(404);
  });
});

describe.each(['sqlite', 'postgres'] as const)('the tables of a person on %s', (engine) => {
  const namesOf = (schema: string): Readonly<Record<'customers' | 'orders', string>> => ({
    customers: engine === 'postgres' ? `${schema}."Customers"` : '"Customers"',
    orders: engine === 'postgres' ? `${schema}.orders` : 'orders',
  });

  it('show what was changed by hand, with another tag', async () => {
    const { send, shop } = await openShop(engine);
    const { customers } = namesOf(shop.schema);
    const { etag } = await send('POST /customers', ada(1));
    await shop.run(`UPDATE ${customers} SET balance = 7`);
    expect((await send('PATCH /customers/1', { active: false }, { 'if-match': etag ?? '' })).status).toBe(412);
    expect((await send('GET /customers/1')).body).toMatchObject({ balance: '7.00', active: true });
    await shop.run(
      `INSERT INTO ${customers} (customer_no, "user", email, active, seen) VALUES (40, 'ada', 'forty', TRUE, '2026-01-31 10:00:00.123+00:00')`,
    );
    expect((await send('GET /customers/40')).body).toMatchObject({ seen: '2026-01-31T10:00:00.123Z', balance: '0.00' });
    expect((await send('GET /customers?where[seen]=2026-01-31T10:00:00.123Z')).body.items).toHaveLength(1);
    if (engine === 'sqlite') return;
    await shop.run(`UPDATE ${customers} SET seen = 'infinity'`);
    expect((await send('GET /customers/40')).body).toMatchObject({ seen: null });
  });

  it('refuse values by their constraints, without a fault of the server', async () => {
    const { send } = await openShop(engine);
    await send('POST /customers', ada(1));
    const refused = [
      await send('PATCH /customers/1', { balance: '-100' }),
      await send('PATCH /customers/1', { email: `${'x'.repeat(31)}` }),
      await send('POST /customers', { ...ada(2), balance: '-101' }),
    ];
    for (const { status, body } of refused) expect([status, body.error.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await send('POST /orders', { id: 'x', customerId: '2' })).status).toBe(409);
  });

  it('are compared at the start, which names every difference in one error', async () => {
    const shop = await createLegacyShop(engine);
    const prefix = engine === 'postgres' ? `${shop.schema}.` : '';
    const wrong = defineModel('customers', {
      table: `${prefix}Customers`,
      managed: false,
      id: field.integer({ generated: 'database' }),
      columns: { id: 'customer_no', ownerId: 'user', createdAt: null },
      version: 'lock',
      fields: {
        ownerId: field.text({ nullable: true }),
        emial: field.text(),
        balance: field.boolean(),
        since: field.date(),
      },
      unique: [['ownerId']],
    });
    const missing = defineModel('nothing', { table: `${prefix}nothing`, managed: false, fields: {} });
    const view = defineModel('spenders', {
      table: `${prefix}spenders`,
      managed: false,
      id: field.integer({ generated: 'database' }),
      columns: { id: 'customer_no', createdAt: null, updatedAt: null },
      fields: {},
    });
    const error: unknown = await shop.open([wrong, missing, view]).catch((reason: unknown) => reason);
    const lines = String(error).split('\n  - ').slice(1);
    expect(lines.map((line) => line.replaceAll(`${shop.schema}.`, ''))).toEqual([
      "customers.ownerId: Customers.user can't be null: declare it so",
      'customers.emial: Customers has no column emial, did you mean email?',
      ...(engine === 'postgres' ? ['customers.balance: Customers.balance is numeric, which holds no boolean'] : []),
      'customers.since: Customers.since may be null: declare it nullable',
      'customers.updatedAt: Customers has no column updated_at',
      'customers: Customers has no column lock for the version',
      'customers.ownerId: Customers (user) is not unique',
      "customers: Customers.email is required, but not declared, so that new rows can't have it",
      "customers: Customers.active is required, but not declared, so that new rows can't have it",
      'nothing: there is no table nothing',
      'spenders: spenders is a view: declare it readOnly',
    ]);
    expect(error).toBeInstanceOf(MigrationError);
  });
});
