import { type Rule, type RuleCaller, rules } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany, type Model } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { anyCaller, anyRow, anyRule, type RuleRow } from '../testing/any-rule.ts';
import { naiveFieldAllows, type NaiveFieldRule } from '../testing/naive-decision.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const numRuns = process.env['DEEP'] ? 1000 : 40;

const model: Model = defineModel('rows', {
  fields: {
    ownerId: field.text({ nullable: true }),
    tenantId: field.text({ nullable: true }),
    shared: field.boolean({ nullable: true }),
    title: field.text({ default: 'T' }),
    level: field.integer({ nullable: true }),
    peerId: field.uuid({ references: 'rows', nullable: true }),
    stamp: field.text({ serverValue: () => 'a' }),
  },
  relations: { peer: belongsTo('peerId'), peers: hasMany('rows', 'peerId') },
});

const secrets = ['level', 'peerId', 'stamp'] as const;
const ids = Array.from({ length: 6 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const tables = toEntityTables([model]);

type Secret = Readonly<Record<(typeof secrets)[number], string | number | null>>;

interface World {
  readonly caller: RuleCaller;
  readonly rule: Rule;
  readonly seeing: NaiveFieldRule;
  readonly choosing: NaiveFieldRule;
  readonly rows: readonly RuleRow[];
  /** The hidden fields in two databases. They differ where the caller is not shown them. */
  readonly ours: readonly Secret[];
  readonly others: readonly Secret[];
  readonly requests: readonly Request[];
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

// A rule that depends on a secret reveals it, as the app declared.
const blindRule = anyRule.filter((rule) => !JSON.stringify(rule).includes('level'));
const fieldRule: fc.Arbitrary<NaiveFieldRule> = fc.oneof(fc.constant(false), blindRule);
const someId = fc.constantFrom(...ids);
const level = fc.constantFrom(0, 1, 2, null);

const secret: fc.Arbitrary<Secret> = fc.record({
  level,
  peerId: fc.option(someId),
  stamp: fc.constantFrom('a', 'b'),
});

const change = fc.oneof(
  secret.chain((whole) => fc.subarray([...secrets]).map((names) => names.map((name) => [name, whole[name]] as const))),
  fc.constant([['title', 'U']] as const),
);

const filter: fc.Arbitrary<object> = fc.oneof(
  fc
    .constantFrom('eq', 'ne', 'gt', 'lte')
    .chain((operator) => level.map((value) => ({ level: { [operator]: value } }))),
  fc.constantFrom(...secrets).map((name) => ({ [name]: { isNull: true } })),
  someId.map((peerId) => ({ peerId })),
  fc
    .constantFrom('level', 'stamp', 'peerId', 'title')
    .chain((name) =>
      fc.constantFrom({ [`peer.${name}`]: { isNull: false } }, { NOT: { [`peer.${name}`]: { isNull: true } } }),
    ),
  level.map((value) => ({ NOT: { 'peer.level': { gt: value } } })),
  fc.constant({ OR: [{ stamp: { startsWith: 'a' } }, { NOT: { title: 'T' } }] }),
);

const request: fc.Arbitrary<Request> = fc.oneof(
  fc
    .record(
      {
        where: filter,
        orderBy: fc.constantFrom('level', 'peerId:desc', 'stamp,title', 'title'),
        select: fc.constantFrom('level', 'title,peerId', 'id'),
        include: fc.constantFrom('peer', 'peers', 'peer.peers', 'peers.peer'),
        count: fc.boolean(),
        limit: fc.constantFrom(2, 100),
      },
      { requiredKeys: [] },
    )
    .map((body) => ({ method: 'POST', path: '/rows/query', body })),
  fc
    .record({ id: someId, include: fc.constantFrom('', '?include=peer,peers', '?include=peer.peers&select=title') })
    .map(({ id, include }) => ({ method: 'GET', path: `/rows/${id}${include}` })),
  fc
    .record({ id: someId, change })
    .map(({ id, change: cells }) => ({ method: 'PATCH', path: `/rows/${id}`, body: Object.fromEntries(cells) })),
  fc.record({ id: someId, change }).map(({ id, change: cells }) => ({
    method: 'POST',
    path: '/rows/bulk',
    body: { update: [{ id, ...Object.fromEntries(cells) }] },
  })),
);

const anyWorld: fc.Arbitrary<World> = fc.record({
  caller: anyCaller(now),
  rule: fc.oneof(fc.constant(rules.public), blindRule),
  seeing: fieldRule,
  choosing: fc.oneof(fc.constant(null), fieldRule),
  rows: fc.array(anyRow, { minLength: ids.length, maxLength: ids.length }),
  ours: fc.array(secret, { minLength: ids.length, maxLength: ids.length }),
  others: fc.array(secret, { minLength: ids.length, maxLength: ids.length }),
  requests: fc.array(request, { minLength: 12, maxLength: 12 }),
});

/** Sends all requests in their order, to an app on a database in which the secrets are these. */
async function responsesOf(stores: Stores, world: World, secrets: readonly Secret[]): Promise<readonly string[]> {
  await stores.migrate();
  const moments = { createdAt: now, updatedAt: now };
  await stores.transaction(async ({ entities: rows }) => {
    for (const [index, id] of ids.entries()) {
      const row: EntityRow = { id, ...world.rows[index]!, title: 'T', ...secrets[index]!, peerId: null, ...moments };
      await rows.create('rows', row);
    }
  });
  for (const [index, id] of ids.entries()) {
    const values = { peerId: secrets[index]!.peerId };
    await stores.entities.update('rows', id, { values, where: all });
  }
  const app = openRoutes(stores, world);
  const responses: string[] = [];
  for (const { method, path, body } of world.requests) {
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
    const request = `${method} ${path} ${JSON.stringify(body)}`;
    responses.push(`${request}: ${response.status} ${response.headers.get('etag')} ${await response.text()}`);
  }
  await stores.close();
  return responses;
}

function openRoutes(stores: Stores, { caller, rule, seeing, choosing }: World): ReturnType<typeof serveEntities> {
  const guard = { ...(seeing !== null && { read: seeing }), ...(choosing !== null && { write: choosing }) };
  const fields = { level: guard, peerId: guard, stamp: { read: seeing ?? rules.public } };
  const access = {
    list: rule,
    get: rule,
    create: false,
    update: rule,
    delete: false,
    bulk: rules.public,
    fields,
  } as const;
  return serveEntities(createEntities({ entities: [defineEntity({ model, access })], stores }), caller);
}

it.each([
  ['memory', () => createMemoryStores({ clock, entities: tables })],
  ['sqlite', () => createSqliteStores({ patience: patient, path: ':memory:', clock, entities: tables })],
] as const)(
  'gives no response on %s that depends on the value of a hidden field',
  async (_, open) => {
    let successes = 0;
    const agrees = fc.asyncProperty(anyWorld, async (world) => {
      const { rows, ours, others, seeing, caller } = world;
      const mixed = ours.map((mine, index) =>
        naiveFieldAllows({ caller, now }, seeing, rows[index]!) ? mine : others[index]!,
      );
      const responses = await responsesOf(open(), world, ours);
      expect(await responsesOf(open(), world, mixed)).toEqual(responses);
      const isOther = mixed.some((each, index) => secrets.some((name) => each[name] !== ours[index]![name]));
      if (isOther) successes += responses.filter((response) => /: 20\d /.test(response)).length;
    });
    await fc.assert(agrees, { numRuns });
    expect(successes).toBeGreaterThan(numRuns);
  },
  process.env['DEEP'] ? 600_000 : 60_000,
);
