import { anonymous, rules, type RuleCaller } from '@x/access';
import { type EntityRow, queryTooExpensive, type Stores } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const model = defineModel('rows', {
  fields: {
    ownerId: field.text(),
    number: field.integer(),
    body: field.text({ default: '' }),
    pin: field.integer({ default: 7 }),
    salary: field.integer({ default: 7 }),
    secret: field.text({ default: 's', hidden: true }),
  },
});

const own = rules.where({ ownerId: rules.user.id });

const rows = defineEntity({
  model,
  access: {
    ...{ list: own, get: own, create: false, update: false, delete: false },
    export: rules.authenticated(),
    fields: { pin: { read: false }, salary: { read: rules.where({ number: 1 }) } },
  },
});

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

async function fill(stores: Stores, count: number, body = ''): Promise<void> {
  const moments = { createdAt: stores.clock.now(), updatedAt: stores.clock.now() };
  const rowsToStore = Array.from({ length: count }, (_, index): EntityRow => {
    const cells = { ownerId: index % 10 === 9 ? 'bob' : 'ada', number: index, body, pin: 7, salary: 7, secret: 's' };
    return { id: idOf(index), ...cells, ...moments };
  });
  for (let start = 0; start < count; start += 50) {
    await Promise.all(rowsToStore.slice(start, start + 50).map((row) => stores.entities.create('rows', row)));
  }
}

function serve(stores: Stores, userId: string | null = 'ada') {
  const caller: RuleCaller = { ...anonymous, role: 'user', userId: userId as never };
  return serveEntities(createEntities({ entities: [rows], stores }), caller);
}

const parseLines = (text: string): readonly { readonly id: string; readonly number: number }[] => {
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
};

it('blames a query that takes too long on the filter, if there is one', async () => {
  const stores = await openEngine('memory', [model]);
  const slow: Stores = {
    ...stores,
    entities: { ...stores.entities, list: async () => Promise.reject(queryTooExpensive()) },
  };
  const app = serve(slow);
  expect((await app.request('/rows/export')).status).toBe(503);
  expect((await app.request('/rows/export?where[number][gt]=1')).status).toBe(400);
});

describe.each(engines)('an export on %s', (engine) => {
  it('is every record that the caller may list as one line, without fields that they may not read', async () => {
    const stores = await openEngine(engine, [model]);
    await fill(stores, 700);
    const app = serve(stores);
    const response = await app.request('/rows/export');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    const lines = parseLines(await response.text());
    expect(lines.map(({ number }) => number)).toEqual(
      Array.from({ length: 700 }, (_, index) => index).filter((index) => index % 10 !== 9),
    );
    const moments = { createdAt: stores.clock.now().toISOString(), updatedAt: stores.clock.now().toISOString() };
    expect(lines.slice(0, 2)).toEqual([
      { id: idOf(0), ownerId: 'ada', number: 0, body: '', ...moments },
      { id: idOf(1), ownerId: 'ada', number: 1, body: '', salary: 7, ...moments },
    ]);
    const rest = await app.request(`/rows/export?where[id][gt]=${idOf(600)}&where[number][lt]=610`);
    expect(parseLines(await rest.text()).map(({ number }) => number)).toEqual([601, 602, 603, 604, 605, 606, 607, 608]);
    expect(await (await app.request('/rows/export?where[number]=9')).text()).toBe('');
  });

  it('refuses parameters that an export does not heed, and fields that the caller may not read on every record', async () => {
    const app = serve(await openEngine(engine, [model]));
    for (const query of [
      'limit=5',
      'orderBy=number',
      'count=true',
      'after=x',
      `after=${idOf(1)}`,
      'select=number',
      'where[salary]=7',
      'where[pin]=7',
      'select=secret',
      'include=x',
    ]) {
      const response = await app.request(`/rows/export?${query}`);
      const { error } = JSON.parse(await response.text());
      expect([query, response.status, error.code]).toEqual([query, 400, 'INVALID_QUERY']);
    }
    expect((await serve(await openEngine(engine, [model]), null).request('/rows/export')).status).toBe(401);
  });
});

it('reads no further than two pages beyond what the client takes, and nothing once it has gone', async () => {
  const stores = await openEngine('sqlite', [model]);
  await fill(stores, 3000, 'x'.repeat(100));
  let reads = 0;
  const entities: Stores['entities'] = {
    ...stores.entities,
    list(...given) {
      reads += 1;
      return stores.entities.list(...given);
    },
  };
  const reader = (await serve({ ...stores, entities }).request('/rows/export')).body!.getReader();
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
  await settle();
  expect(reads).toBeLessThanOrEqual(2);
  await reader.read();
  await settle();
  expect(reads).toBeLessThanOrEqual(3);
  await reader.cancel();
  await settle();
  expect(reads).toBeLessThanOrEqual(3);
});

it('ends with an error where a page can’t be read, after whole lines', async () => {
  const stores = await openEngine('memory', [model]);
  await fill(stores, 1200);
  let reads = 0;
  const entities: Stores['entities'] = {
    ...stores.entities,
    async list(...given) {
      reads += 1;
      if (reads > 1) throw new Error('gone');
      return stores.entities.list(...given);
    },
  };
  const reader = (await serve({ ...stores, entities }).request('/rows/export')).body!.getReader();
  const first = await reader.read();
  expect(parseLines(new TextDecoder().decode(first.value)).length).toBe(500);
  await expect(reader.read()).rejects.toThrow('gone');
});
