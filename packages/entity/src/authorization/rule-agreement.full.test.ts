import type { Rule, RuleCaller } from '@x/access';
import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import fc from 'fast-check';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { anyCaller, anyRow, anyRule, type RuleRow } from '../testing/any-rule.ts';
import {
  naiveRefusal,
  naiveChoice,
  naiveFieldAllows,
  naiveFieldIsOpen,
  type NaiveFieldRule,
  naivelySatisfies,
  naiveDecision,
} from '../testing/naive-decision.ts';
import { idsOf, idsWith, statusesOf } from '../testing/read-responses.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const rowsEach = 10;
const numRuns = process.env['DEEP'] ? 1200 : 110;

const model: Model = defineModel('rows', {
  fields: {
    ownerId: field.text({ nullable: true }),
    tenantId: field.text({ nullable: true }),
    shared: field.boolean({ nullable: true }),
    level: field.integer({ nullable: true }),
  },
});

const now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };

let database: PostgresDatabase;
const engines = new Map<string, Stores>();

beforeAll(async () => {
  database = await createPostgresDatabase();
  const entities = toEntityTables([model]);
  engines.set('memory', createMemoryStores({ clock, entities }));
  engines.set('sqlite', createSqliteStores({ patience: patient, path: ':memory:', clock, entities }));
  engines.set('postgres', createPostgresStores({ patience: patient, url: database.url, clock, entities }));
  for (const stores of engines.values()) await stores.migrate();
});

afterAll(async () => {
  await Promise.all([...engines.values()].map((stores) => stores.close()));
  await database.drop();
});

/** Sends requests in the name of a caller to the routes of one rule of reading and one of everything else. */
type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string }>;

function openRoutes(stores: Stores, { caller, reading, rule, seeing, choosing }: World): Send {
  const ofLevel = { ...(seeing !== null && { read: seeing }), ...(choosing !== null && { write: choosing }) };
  const fields = Object.keys(ofLevel).length > 0 ? { level: ofLevel } : {};
  const access = { list: rule, get: reading, create: rule, update: rule, delete: rule, fields };
  const entities = createEntities({ entities: [defineEntity({ model, access })], stores });
  const app = serveEntities(entities, caller);
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
    const response = await app.request(path, init);
    return { status: response.status, text: await response.text() };
  };
}

interface World {
  readonly caller: RuleCaller;
  readonly reading: Rule;
  readonly rule: Rule;
  /** Who reads and who writes the level. */
  readonly seeing: NaiveFieldRule;
  readonly choosing: NaiveFieldRule;
  readonly rows: readonly RuleRow[];
  readonly patches: readonly Partial<RuleRow>[];
}

const anyFieldRule: fc.Arbitrary<NaiveFieldRule> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(null, false) },
  { weight: 4, arbitrary: anyRule },
);

const anyWorld: fc.Arbitrary<World> = fc
  .record({
    caller: anyCaller(now),
    reading: fc.option(anyRule),
    rule: anyRule,
    seeing: anyFieldRule,
    choosing: anyFieldRule,
    rows: fc.array(anyRow, { minLength: rowsEach, maxLength: rowsEach }),
    patches: fc.array(anyRow.chain(toPatch), { minLength: rowsEach, maxLength: rowsEach }),
  })
  // Entities often have one rule for everything.
  .map((world) => ({ ...world, reading: world.reading ?? world.rule }));

function toPatch(row: RuleRow): fc.Arbitrary<Partial<RuleRow>> {
  const names = fc.subarray(Object.keys(row) as (keyof RuleRow)[], { minLength: 1 });
  return names.map((chosen) => Object.fromEntries(chosen.map((name) => [name, row[name]])));
}

/** Predicts the answer to each request by a reading of the rules that knows neither predicates nor SQL. */
async function compare(stores: Stores, world: World): Promise<number> {
  const { rows, patches, rule, reading, caller, seeing, choosing } = world;
  const send = openRoutes(stores, world);
  await removeAll(stores);
  const byRule = { caller, now, reading, rule };
  const refusal = naiveRefusal(byRule);
  const ids: readonly string[] = rows.map(() => crypto.randomUUID());
  const moments = { createdAt: now, updatedAt: now };
  await Promise.all(rows.map((row, index) => stores.entities.create('rows', { ...row, ...moments, id: ids[index]! })));

  const showsLevel = (row: RuleRow): boolean => naiveFieldAllows(byRule, seeing, row);
  const listed = await send('GET', '/rows?limit=100');
  const satisfying = ids.filter((_, index) => naivelySatisfies(byRule, rows[index]!));
  expect(listed.status).toBe(refusal ?? 200);
  expect(refusal ? [] : idsOf(listed.text)).toEqual(refusal ? [] : satisfying.toSorted());
  const ofLevel = await send('GET', '/rows?limit=100&where[level]=1&orderBy=level');
  const isOpen = naiveFieldIsOpen(byRule, seeing);
  expect(ofLevel.status).toBe(refusal ?? (isOpen ? 200 : 400));
  const ofLevelOne = refusal === null && isOpen ? satisfying.filter((id) => rows[ids.indexOf(id)]?.level === 1) : [];
  expect(ofLevel.status === 200 ? idsOf(ofLevel.text) : []).toEqual(ofLevelOne.toSorted());

  const got = await Promise.all(ids.map((id) => send('GET', `/rows/${id}`)));
  const toRead = { caller, now, reading, rule: reading };
  const refused = naiveRefusal(toRead);
  expect(statusesOf(got)).toEqual(rows.map((row) => refused ?? naiveDecision(toRead, row) ?? 200));
  const leveled = ids.filter((_, index) => showsLevel(rows[index]!));
  expect(idsWith('level', [listed])).toEqual(refusal ? [] : satisfying.filter((id) => leveled.includes(id)).toSorted());
  expect(idsWith('level', got)).toEqual(leveled.filter((id) => got[ids.indexOf(id)]?.status === 200).toSorted());

  const created = await Promise.all(rows.map((row) => send('POST', '/rows', row)));
  const toCreate = rows.map((row) =>
    naivelySatisfies(byRule, row) ? (naiveChoice(byRule, choosing, row) ?? 201) : 403,
  );
  expect(statusesOf(created)).toEqual(toCreate.map((decision) => refusal ?? decision));
  // A write shows what a get would.
  const showsWritten = (row: RuleRow): boolean => naivelySatisfies(toRead, row) && showsLevel(row);
  expect(idsWith('level', created)).toHaveLength(
    rows.filter((row, index) => created[index]?.status === 201 && showsWritten(row)).length,
  );

  const patched = await Promise.all(ids.map((id, index) => send('PATCH', `/rows/${id}`, patches[index])));
  const wanted = rows.map((row, index) => ({ ...row, ...patches[index] }));
  const toChoose = rows.map((row, index) => {
    const isSame = showsLevel(row) && wanted[index]?.level === row.level;
    return isSame || !('level' in patches[index]!) ? null : naiveChoice(byRule, choosing, row);
  });
  const decisions = rows.map(
    (row, index) =>
      refusal ??
      naiveDecision(byRule, row) ??
      toChoose[index] ??
      (naivelySatisfies(byRule, wanted[index]!) ? 200 : 403),
  );
  expect(statusesOf(patched)).toEqual(decisions);
  const after = rows.map((row, index) => (decisions[index] === 200 ? wanted[index]! : row));
  const stored = await Promise.all(ids.map((id) => stores.entities.get('rows', id, all)));
  expect(stored.map((record) => record?.row)).toEqual(
    after.map((row, index) => ({ ...row, ...moments, id: ids[index] })),
  );

  expect(idsWith('level', patched)).toEqual(
    ids.filter((_, index) => decisions[index] === 200 && showsWritten(after[index]!)).toSorted(),
  );

  const deleted = await Promise.all(ids.map((id) => send('DELETE', `/rows/${id}`)));
  expect(statusesOf(deleted)).toEqual(after.map((row) => refusal ?? naiveDecision(byRule, row) ?? 204));
  const left = await removeAll(stores);
  expect(left.filter((id) => ids.includes(id))).toEqual(
    ids.filter((_, index) => deleted[index]?.status !== 204).toSorted(),
  );
  return 5 * rowsEach;
}

/** Deletes every row, those of a comparison that failed among them, and returns their ids in order. */
async function removeAll({ entities }: Stores): Promise<readonly string[]> {
  const { records } = await entities.list('rows', { where: all, order, after: null, limit: 1000 });
  await Promise.all(records.map(({ row }) => entities.delete('rows', row.id, { where: all })));
  return records.map(({ row }) => row.id);
}

const order = [{ column: 'id', direction: 'asc' }] as const;

it.each(['memory', 'sqlite', 'postgres'])(
  'responds to each request on %s as the rules say, row by row, and touches no other row',
  async (engine) => {
    let cases = 0;
    const agrees = fc.asyncProperty(anyWorld, async (world) => {
      cases += await compare(engines.get(engine)!, world);
    });
    await fc.assert(agrees, { numRuns });
    expect(cases).toBeGreaterThanOrEqual(process.env['DEEP'] ? 50_000 : 5000);
  },
  process.env['DEEP'] ? 600_000 : 60_000,
);
