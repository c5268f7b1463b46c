import { createAccessContext, rules } from '@x/access';
import type { Stores, TransactionStores, UserId } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import fc from 'fast-check';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordAction } from '../action/action.ts';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { idsOf, idsWith, statusesOf } from '../testing/read-responses.ts';
import {
  refusalOfCaller,
  choiceOn,
  anyResourceWorld,
  couldBeSatisfiedOn,
  isSatisfiedOn,
  type ResourceWorld,
  seesProject,
  worldDefinition,
  type WorldSubject,
} from '../testing/resource-world.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const numRuns = process.env['DEEP'] ? 300 : 14;

const projectModel = defineModel('projects', { fields: { name: field.text() } });

const taskModel = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    ownerId: field.text(),
    shared: field.boolean(),
  },
  parent: 'projectId',
});

const now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };

let database: PostgresDatabase;
const engines = new Map<string, Stores>();

beforeAll(async () => {
  database = await createPostgresDatabase();
  const entities = toEntityTables([projectModel, taskModel]);
  engines.set('memory', createMemoryStores({ clock, entities }));
  engines.set('sqlite', createSqliteStores({ patience: patient, path: ':memory:', clock, entities }));
  engines.set(
    'postgres',
    createPostgresStores({ patience: patient, url: database.url, clock, entities, maxConnections: 4 }),
  );
  for (const stores of engines.values()) await stores.migrate();
});

afterAll(async () => {
  for (const stores of engines.values()) await stores.close();
  await database.drop();
});

type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string }>;

function openRoutes(stores: Stores, { caller, reading, rule, seeing, choosing }: ResourceWorld): Send {
  const see = rules.entitlement('project:see');
  const projects = defineEntity({
    model: projectModel,
    definition: worldDefinition,
    resource: { type: 'project' },
    access: { list: see, get: see, create: false, update: false, delete: false },
  });
  const shared = { ...(seeing && { read: seeing }), ...(choosing && { write: choosing }) };
  const tasks = defineEntity({
    model: taskModel,
    definition: worldDefinition,
    resource: { type: 'task' },
    access: {
      list: rule,
      get: reading,
      create: rule,
      update: rule,
      delete: rule,
      fields: seeing || choosing ? { shared } : {},
    },
    actions: { touch: recordAction(taskModel, { rule, handler: ({ record }) => record.id }) },
  });
  const access = {
    definition: worldDefinition,
    contextFor: (_: unknown, inside: TransactionStores = stores) =>
      createAccessContext({
        userId: caller.userId,
        definition: worldDefinition,
        roleStore: inside.roleAssignments,
        closureStore: inside.hierarchy,
        subscriptionStore: inside.subscriptions,
        walletStore: inside.wallets,
        orgResolver: async (resource, { ancestors }) =>
          resource && [resource, ...(await ancestors())].find(({ type }) => type === 'organization'),
      }),
  };
  const entities = createEntities({ entities: [projects, tasks], stores, access });
  const app = serveEntities(entities, caller);
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
    return { status: response.status, text: await response.text() };
  };
}

interface ResourceIds {
  readonly organizations: readonly string[];
  readonly projects: readonly string[];
  readonly tasks: readonly string[];
}

async function build(stores: Stores, world: ResourceWorld): Promise<ResourceIds> {
  const resourceIds: ResourceIds = {
    organizations: world.suspended.map(() => crypto.randomUUID()),
    projects: world.organizations.map(() => crypto.randomUUID()),
    tasks: world.tasks.map(() => crypto.randomUUID()),
  };
  const ids = { organization: resourceIds.organizations, project: resourceIds.projects, task: resourceIds.tasks };
  await stores.transaction(async (inside) => {
    for (const { resource } of await inside.roleAssignments.listByUser('ada' as UserId)) {
      await inside.hierarchy.removeSubtree(resource);
    }
    for (const [index, id] of resourceIds.projects.entries()) {
      await inside.entities.create('projects', { id, name: 'P', createdAt: now, updatedAt: now });
      const organization = resourceIds.organizations[world.organizations[index] ?? 0] ?? '';
      await inside.hierarchy.attach({
        child: { type: 'project', id },
        parent: { type: 'organization', id: organization },
      });
    }
    for (const [index, id] of resourceIds.tasks.entries()) {
      const { project, ...rest } = world.tasks[index]!;
      const projectId = resourceIds.projects[project] ?? '';
      await inside.entities.create('tasks', { id, projectId, ...rest, createdAt: now, updatedAt: now });
      await inside.hierarchy.attach({ child: { type: 'task', id }, parent: { type: 'project', id: projectId } });
    }
    for (const { type, at, role } of world.roles) {
      const resource = { type, id: ids[type][at] ?? '' };
      await inside.roleAssignments.assign({ userId: 'ada' as UserId, resource, role });
    }
    for (const [index, isSuspended] of world.suspended.entries()) {
      if (isSuspended)
        await inside.subscriptions.assign({
          tenantId: resourceIds.organizations[index] ?? '',
          planName: 'nothing',
          group: 'base',
        });
    }
  });
  return resourceIds;
}

/** Predicts the answer to each request by a reading of rules and roles that knows neither predicates nor SQL. */
async function compare(stores: Stores, world: ResourceWorld): Promise<number> {
  const { rule, reading, caller, seeing } = world;
  const resourceIds = await build(stores, world);
  const send = openRoutes(stores, world);
  const subjects = world.tasks.map((task, number): WorldSubject => ({ number, task }));
  const isOurs = new Set(resourceIds.tasks);
  const toDecision = (subject: WorldSubject): number | null => {
    if (!isSatisfiedOn(world, reading, subject)) return 404;
    if (isSatisfiedOn(world, rule, subject)) return null;
    if (!couldBeSatisfiedOn(world, rule, subject)) return 404;
    return caller.userId === null ? 401 : 403;
  };

  const [toRead, refusal] = [refusalOfCaller(world, reading), refusalOfCaller(world, rule)];
  const got = await Promise.all(resourceIds.tasks.map((id) => send('GET', `/tasks/${id}`)));
  expect(statusesOf(got)).toEqual(subjects.map((each) => toRead ?? (isSatisfiedOn(world, reading, each) ? 200 : 404)));

  const showing = resourceIds.tasks.filter((_, index) => !seeing || isSatisfiedOn(world, seeing, subjects[index]!));
  const isShown = (id: string | undefined): boolean => id !== undefined && showing.includes(id);
  expect(idsWith('shared', got)).toEqual(
    showing.filter((id) => got[resourceIds.tasks.indexOf(id)]?.status === 200).toSorted(),
  );

  const listed = await send('GET', '/tasks?limit=100&count=true');
  expect(listed.status).toBe(refusal ?? 200);
  const ids = listed.status === 200 ? idsOf(listed.text) : [];
  const expected = resourceIds.tasks.filter(
    (_, index) => refusal === null && isSatisfiedOn(world, rule, subjects[index]!),
  );
  expect(ids.filter((id) => isOurs.has(id)).toSorted()).toEqual(expected.toSorted());
  expect(idsWith('shared', [listed]).filter((id) => isOurs.has(id))).toEqual(expected.filter(isShown).toSorted());

  const acted = await Promise.all(resourceIds.tasks.map((id) => send('POST', `/tasks/${id}/touch`)));
  expect(statusesOf(acted)).toEqual(subjects.map((each) => refusal ?? toDecision(each) ?? 200));

  const created = await Promise.all(
    world.tasks.map(({ project, ...rest }) =>
      send('POST', '/tasks', { ...rest, projectId: resourceIds.projects[project] }),
    ),
  );
  const toCreate = world.tasks.map((task) => {
    if (refusal !== null) return refusal;
    const subject = { number: null, task };
    const isAllowed = seesProject(world, task.project) && isSatisfiedOn(world, rule, subject);
    return isAllowed ? (choiceOn(world, subject) ?? 201) : 403;
  });
  expect(statusesOf(created)).toEqual(toCreate);

  const patched = await Promise.all(
    resourceIds.tasks.map((id, index) => send('PATCH', `/tasks/${id}`, { shared: !world.tasks[index]?.shared })),
  );
  const changed = subjects.map(({ number, task }) => ({ number, task: { ...task, shared: !task.shared } }));
  const decisions = subjects.map(
    (each, index) =>
      refusal ?? toDecision(each) ?? choiceOn(world, each) ?? (isSatisfiedOn(world, rule, changed[index]!) ? 200 : 403),
  );
  expect(statusesOf(patched)).toEqual(decisions);

  const after = subjects.map((each, index) => (decisions[index] === 200 ? changed[index]! : each));
  const deleted = await Promise.all(resourceIds.tasks.map((id) => send('DELETE', `/tasks/${id}`)));
  expect(statusesOf(deleted)).toEqual(after.map((each) => refusal ?? toDecision(each) ?? 204));
  for (const id of resourceIds.projects) await stores.entities.delete('projects', id, { where: all });
  return 6 * resourceIds.tasks.length;
}

it.each(['memory', 'sqlite', 'postgres'])(
  'responds to each request on %s as rules, roles and plans say, record by record',
  async (engine) => {
    let cases = 0;
    const agrees = fc.asyncProperty(anyResourceWorld, async (world) => {
      cases += await compare(engines.get(engine)!, world);
    });
    await fc.assert(agrees, { numRuns });
    expect(cases).toBeGreaterThanOrEqual(numRuns * 36);
  },
  process.env['DEEP'] ? 600_000 : 60_000,
);
