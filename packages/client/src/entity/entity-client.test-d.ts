import { type AccessCheck, defineAccess, rules } from '@x/access';
import { action, belongsTo, defineEntity, defineModel, defineService, field, hasMany, recordAction } from '@x/entity';
import { unwrap } from '@x/errors';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { type Client, type ClientResult, createClient, type VersionedResult } from '../index.ts';

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;

const definition = defineAccess({
  entities: { task: { roles: ['editor'] } },
  entitlements: { 'task:update': { roles: ['editor'] }, 'task:delete': { roles: ['editor'] } },
});

const projectModel = defineModel('projects', {
  fields: { name: field.text(), archivedAt: field.timestamp({ nullable: true }) },
  relations: { tasks: hasMany('tasks', 'projectId') },
});

const projects = defineEntity({
  access,
  definition,
  recordAccess: ['task:delete'],
  model: projectModel,
  actions: {
    archive: recordAction(projectModel, { rule: rules.public, handler: () => undefined }),
    'set-role': recordAction(projectModel, {
      rule: rules.public,
      input: z.strictObject({ userId: z.string(), role: z.enum(['manager', 'viewer']).nullable() }),
      output: z.strictObject({ ok: z.literal(true), at: z.date() }),
      handler: () => ({ ok: true as const, at: new Date() }),
    }),
    plan: recordAction(projectModel, {
      rule: rules.public,
      method: 'GET',
      output: z.strictObject({ plan: z.string() }),
      handler: () => ({ plan: 'free' }),
    }),
    'change-plan': recordAction(projectModel, {
      rule: rules.public,
      path: 'plan',
      input: z.strictObject({ plan: z.string() }),
      handler: () => undefined,
    }),
    'bulk-archive': action({
      rule: rules.public,
      input: z.strictObject({ ids: z.array(z.string()), force: z.boolean().default(false) }),
      output: z.strictObject({ archived: z.int() }),
      handler: ({ input: { ids } }) => ({ archived: ids.length }),
    }),
  },
});

const search = defineService({
  name: 'full-text',
  actions: {
    languages: action({
      method: 'GET',
      path: '',
      rule: rules.public,
      input: z.strictObject({ in: z.string() }),
      output: z.array(z.string()),
      handler: () => [],
    }),
    find: action({
      rule: rules.public,
      input: z.strictObject({ text: z.string().optional() }),
      output: z.array(z.strictObject({ id: z.string(), at: z.date().nullable() })),
      handler: () => [],
    }),
  },
});

const tasks = defineEntity({
  access,
  model: defineModel('tasks', {
    fields: {
      projectId: field.uuid({ references: 'projects' }),
      ownerId: field.text({ serverValue: ({ userId }) => userId }),
      title: field.text(),
      done: field.boolean({ default: false }),
      priority: field.enum(['low', 'high'], { default: 'low' }),
      points: field.integer({ nullable: true }),
      estimate: field.decimal(6, 2, { nullable: true }),
      dueAt: field.timestamp({ nullable: true }),
      labels: field.json({ default: [] }),
      internalNote: field.text({ nullable: true, hidden: true }),
    },
    relations: {
      project: belongsTo('projectId'),
      comments: hasMany('task-comments', 'taskId'),
      invoices: hasMany('invoices', 'taskId'),
      // Through an entity that is not served here: types know only where it leads.
      payers: hasMany('projects', { through: 'invoice-payers' }),
    },
    parent: 'projectId',
  }),
});

const comments = defineEntity({
  access,
  model: defineModel('task-comments', {
    fields: { taskId: field.uuid({ references: 'tasks' }), body: field.text() },
    relations: { task: belongsTo('taskId') },
    parent: 'taskId',
  }),
});

const invoices = defineEntity({
  access: {
    ...access,
    fields: { total: { read: rules.role('admin') }, paidAt: { read: false }, note: { write: false } },
  },
  model: defineModel('invoices', {
    fields: {
      total: field.integer(),
      paidAt: field.timestamp({ nullable: true }),
      note: field.text({ nullable: true }),
      taskId: field.uuid({ references: 'tasks' }),
    },
    relations: { task: belongsTo('taskId') },
  }),
});

const all = [projects, tasks, comments, invoices] as const;

interface Tracker {
  entities: typeof all;
  services: readonly [typeof search];
  access: typeof definition;
}

declare const client: Client<Tracker>;

interface Task {
  readonly id: string;
  readonly projectId: string;
  readonly ownerId: string;
  readonly title: string;
  readonly done: boolean;
  readonly priority: 'low' | 'high';
  readonly points: number | null;
  readonly estimate: string | null;
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

expectTypeOf<keyof typeof client.entities>().toEqualTypeOf<'projects' | 'tasks' | 'taskComments' | 'invoices'>();
// @ts-expect-error There is no such entity.
void client.entities.project;

const listed = await client.entities.tasks.list();
if (listed.ok) {
  const { items, nextCursor, hasNextPage } = listed.data;
  expectTypeOf(items[0]!).toExtend<Task>();
  expectTypeOf(items[0]!.dueAt).toEqualTypeOf<string | null>();
  expectTypeOf(items[0]!.priority).toEqualTypeOf<'low' | 'high'>();
  expectTypeOf(nextCursor).toEqualTypeOf<string | null>();
  expectTypeOf(hasNextPage).toEqualTypeOf<boolean>();
  // @ts-expect-error It is not asked for.
  void listed.data.total;
  // @ts-expect-error It is hidden from all users.
  void items[0]!.internalNote;
  // @ts-expect-error It is not asked for.
  void items[0]!.project;
  // @ts-expect-error It is not asked for.
  void items[0]!.__access;
}

const narrowed = await client.entities.tasks.list({
  select: ['id', 'title'],
  include: ['comments', 'project.tasks'],
  access: ['task:update'],
  count: true,
});
const joined = await client.entities.tasks.list({ include: ['payers.tasks'] });
if (joined.ok) {
  expectTypeOf(joined.data.items[0]!.payers[0]!.name).toEqualTypeOf<string>();
  expectTypeOf(joined.data.items[0]!.payers[0]!.tasks[0]!.title).toEqualTypeOf<string>();
  expectTypeOf(joined.data.items[0]!.includeMeta?.payers?.hasMore).toEqualTypeOf<true | undefined>();
}
// @ts-expect-error A task has many of them.
void client.entities.tasks.list({ where: { 'payers.name': 'x' } });

if (narrowed.ok) {
  expectTypeOf(narrowed.data.total).toEqualTypeOf<number>();
  const task = narrowed.data.items[0]!;
  expectTypeOf(task.title).toEqualTypeOf<string>();
  expectTypeOf(task.comments[0]!.body).toEqualTypeOf<string>();
  expectTypeOf(task.project!.name).toEqualTypeOf<string>();
  expectTypeOf(task.project!.tasks[0]!.done).toEqualTypeOf<boolean>();
  expectTypeOf(task.__access).toEqualTypeOf<{ readonly 'task:update': AccessCheck }>();
  expectTypeOf(null).toExtend<typeof task.project>();
  // @ts-expect-error It is not selected.
  void task.done;
  // @ts-expect-error Of the comments, nothing more was asked.
  void task.comments[0]!.task;
  client.access.can('task:update', task);
  // @ts-expect-error The record says nothing of that.
  client.access.can('task:delete', task);
}

void client.entities.tasks.list({
  where: {
    title: { startsWith: 'a', ne: 'ab' },
    done: true,
    priority: { in: ['low', 'high'] },
    points: { gte: 1, isNull: false },
    dueAt: { lt: new Date(), gt: '2026-01-01T00:00:00.000Z' },
    OR: [{ ownerId: 'ada' }, { NOT: { priority: 'low' } }],
  },
  orderBy: ['priority:desc', 'createdAt', 'id:asc'],
  limit: 50,
  after: null,
});
// @ts-expect-error There is no such field.
void client.entities.tasks.list({ where: { titel: 'x' } });
void client.entities.taskComments.list({
  where: { 'task.title': { icontains: 'x' }, NOT: { 'task.dueAt': { lt: '2026-01-01T00:00:00Z' } } },
});
// @ts-expect-error Tasks have no such field.
void client.entities.taskComments.list({ where: { 'task.titel': 'x' } });
// @ts-expect-error It is not the type of the field.
void client.entities.taskComments.list({ where: { 'task.done': 'x' } });
// @ts-expect-error It is hidden from all users.
void client.entities.taskComments.list({ where: { 'task.internalNote': 'x' } });
// @ts-expect-error A project has many tasks.
void client.entities.projects.list({ where: { 'tasks.title': 'x' } });
// @ts-expect-error There is no such field to callers.
void client.entities.tasks.list({ where: { internalNote: 'x' } });
void client.entities.tasks.list({
  where: { 'labels.0': 'x', 'labels.deep.a': { gt: 3, isNull: false }, NOT: { 'labels.1': { in: ['a', 'b'] } } },
});
void client.entities.taskComments.list({ where: { 'task.labels.0': { icontains: 'x' } } });
// @ts-expect-error Nothing can be asked of JSON as a whole.
void client.entities.tasks.list({ where: { labels: 'x' } });
// @ts-expect-error It is not JSON.
void client.entities.tasks.list({ where: { 'title.0': 'x' } });
// @ts-expect-error There are no moments in JSON.
void client.entities.tasks.list({ where: { 'labels.0': new Date() } });
// @ts-expect-error Values in JSON have no order.
void client.entities.tasks.list({ orderBy: 'labels.0' });
// @ts-expect-error There is no such operator.
void client.entities.tasks.list({ where: { title: { like: 'x' } } });
// @ts-expect-error Only texts are searched.
void client.entities.tasks.list({ where: { points: { contains: '1' } } });
// @ts-expect-error Enums are no texts to search.
void client.entities.tasks.list({ where: { priority: { contains: 'l' } } });
// @ts-expect-error It is no value of the field.
void client.entities.tasks.list({ where: { priority: 'urgent' } });
// @ts-expect-error It is no value of the field.
void client.entities.tasks.list({ where: { OR: [{ done: 'yes' }] } });
void client.entities.tasks.list({ orderBy: ['project.name:desc', 'title'] });
// @ts-expect-error There is no such field.
void client.entities.tasks.list({ orderBy: 'project.nothing' });
// @ts-expect-error There is no such field.
void client.entities.tasks.list({ orderBy: 'due:desc' });
// @ts-expect-error There is no such direction.
void client.entities.tasks.list({ orderBy: ['dueAt:down'] });
// @ts-expect-error There is no such field.
void client.entities.tasks.list({ select: ['name'] });
// @ts-expect-error There is no such relation.
void client.entities.tasks.list({ include: ['owner'] });
// @ts-expect-error There is no such relation.
void client.entities.tasks.list({ include: ['project.owner'] });
// @ts-expect-error There is no such entitlement.
void client.entities.tasks.list({ access: ['task:read'] });
// @ts-expect-error There is no such parameter.
void client.entities.tasks.list({ page: 2 });

const got = await client.entities.taskComments.get('id', { include: ['task'] });
if (got.ok) {
  expectTypeOf(got.etag).toEqualTypeOf<string>();
  expectTypeOf(got.data.task!.title).toEqualTypeOf<string>();
}
// @ts-expect-error One record is not counted.
void client.entities.tasks.get('id', { count: true });

const created = await client.entities.tasks.create({ projectId: 'p', title: 'x', dueAt: new Date(), labels: ['a'] });
if (created.ok) {
  expectTypeOf(created.data.labels).not.toBeAny();
  const changed = client.entities.tasks.update(created.data.id, { done: true }, { ifMatch: created.etag });
  expectTypeOf(changed).resolves.toEqualTypeOf<VersionedResult<typeof created.data>>();
}
// @ts-expect-error A title is missing.
void client.entities.tasks.create({ projectId: 'p' });
// @ts-expect-error The server sets it.
void client.entities.tasks.create({ projectId: 'p', title: 'x', ownerId: 'ada' });
void client.entities.tasks.update('id', { projectId: 'q' });
// @ts-expect-error The server sets it.
void client.entities.tasks.update('id', { ownerId: 'ada' });
// @ts-expect-error There is no such option.
void client.entities.tasks.delete('id', { ifNoneMatch: '"1"' });

expectTypeOf(client.entities.tasks.delete('id')).resolves.toEqualTypeOf<ClientResult<undefined>>();
const many = await client.entities.tasks.bulk({ update: [{ id: 'id', done: true }], delete: ['other'] });
if (many.ok) expectTypeOf(many.data.updated[0]!.title).toEqualTypeOf<string>();
void client.entities.tasks.bulk({
  update: [{ id: 'id', done: true, ifMatch: '"1"' }],
  delete: [{ id: 'id', ifMatch: '"1"' }, 'other'],
});
const grouped = await client.entities.tasks.aggregate({
  where: { 'project.name': 'P' },
  groupBy: ['projectId', 'done'],
  measures: {
    n: { count: true },
    labelled: { count: 'labels' },
    latest: { max: 'dueAt' },
    allDone: { min: 'done' },
    mean: { avg: 'points' },
    total: { sum: 'points' },
    cost: { sum: 'estimate' },
    meanCost: { avg: 'estimate' },
  },
});
if (grouped.ok) {
  const group = grouped.data.groups[0]!;
  expectTypeOf(group.key).toEqualTypeOf<{ readonly projectId: string; readonly done: boolean }>();
  expectTypeOf(group.n).toEqualTypeOf<number>();
  expectTypeOf(group.latest).toEqualTypeOf<string | null>();
  expectTypeOf(group.mean).toEqualTypeOf<number | null>();
  expectTypeOf(group.labelled).toEqualTypeOf<number>();
  expectTypeOf(group.allDone).toEqualTypeOf<boolean | null>();
  expectTypeOf(group.total).toEqualTypeOf<number | string | null>();
  expectTypeOf(group.cost).toEqualTypeOf<string | null>();
  expectTypeOf(group.meanCost).toEqualTypeOf<string | null>();
}
// @ts-expect-error There is no such field.
void client.entities.tasks.aggregate({ groupBy: ['name'], measures: { n: { count: 'id' } } });
// @ts-expect-error JSON can't be compared.
void client.entities.tasks.aggregate({ measures: { n: { max: 'labels' } } });
// @ts-expect-error There is no such function.
void client.entities.tasks.aggregate({ measures: { n: { median: 'points' } } });
// @ts-expect-error There is nothing to compute.
void client.entities.tasks.aggregate({ groupBy: ['done'] });
const upserted = client.entities.tasks.upsert({ by: ['projectId', 'title'], record: { projectId: 'p', title: 'x' } });
expectTypeOf(upserted).resolves.toEqualTypeOf<Awaited<ReturnType<typeof client.entities.tasks.update>>>();
// @ts-expect-error There is no such field.
void client.entities.tasks.upsert({ by: 'name', record: { projectId: 'p', title: 'x' } });
// @ts-expect-error A title is missing.
void client.entities.tasks.upsert({ by: 'title', record: { projectId: 'p' } });
void client.entities.tasks.bulk({ deleteWhere: { where: { done: true } } });
void client.entities.tasks.bulk({ updateWhere: { where: { done: false }, set: { done: true } } });
// @ts-expect-error The change is missing.
void client.entities.tasks.bulk({ updateWhere: { where: { done: false } } });
void client.entities.tasks.bulk({ updateWhere: { where: {}, set: { projectId: 'q' } } });
// @ts-expect-error There is no such field.
void client.entities.tasks.bulk({ deleteWhere: { where: { finished: true } } });
// @ts-expect-error A filter is missing.
void client.entities.tasks.bulk({ deleteWhere: {} });
// @ts-expect-error An id is missing.
void client.entities.tasks.bulk({ update: [{ done: true }] });
// @ts-expect-error A tag is a text.
void client.entities.tasks.bulk({ delete: [{ id: 'id', ifMatch: 1 }] });

for await (const page of client.entities.tasks.pages({ select: ['title'] })) {
  if (page.ok) expectTypeOf(page.data.items[0]).toEqualTypeOf<{ readonly title: string } | undefined>();
}

interface Invoice {
  readonly id: string;
  readonly total?: number;
  readonly paidAt?: string | null;
  readonly note: string | null;
  readonly taskId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// A field with a read rule may be absent, in related records, too.
const billed = await client.entities.invoices.list({
  where: { total: { gte: 1 }, paidAt: { isNull: true, lt: new Date() } },
  orderBy: 'total',
});
if (billed.ok) expectTypeOf(billed.data.items[0]!).toEqualTypeOf<Invoice>();
const bills = await client.entities.tasks.get('id', { include: ['invoices'] });
if (bills.ok) expectTypeOf(bills.data.invoices[0]!).toEqualTypeOf<Invoice>();
const totals = await client.entities.invoices.get('id', { select: ['id', 'total'] });
if (totals.ok) expectTypeOf(totals.data).toEqualTypeOf<{ readonly id: string; readonly total?: number }>();
const bill = await client.entities.invoices.create({ total: 1, taskId: 'id' });
if (bill.ok) expectTypeOf(bill.data).toEqualTypeOf<Invoice>();
// @ts-expect-error It holds a number.
void client.entities.invoices.list({ where: { total: 'x' } });
// @ts-expect-error A record needs it, even if its creator may not read it.
void client.entities.invoices.create({ taskId: 'id' });

expectTypeOf(client.access.check('task:delete')).toEqualTypeOf<AccessCheck>();
// @ts-expect-error There is no such entitlement.
client.access.can('task:create');
// @ts-expect-error There is no such entitlement.
client.access.getSnapshot().check('project:read');

const byName = createClient<{ entities: { readonly tasks: typeof tasks } }>({ baseUrl: 'https://app.example' });
expectTypeOf(byName.entities.tasks.create).toBeCallableWith({ projectId: 'p', title: 'x' });
// Where its entity is not declared, a relation is not known.
// @ts-expect-error The projects are not there.
void byName.entities.tasks.list({ include: ['project'] });
byName.access.can('whatever');

const untyped = createClient({ baseUrl: 'https://app.example' });
// @ts-expect-error No entity is declared.
void untyped.entities.tasks;

const { archive, setRole, plan, bulkArchive } = client.entities.projects;
expectTypeOf(archive('id')).resolves.toEqualTypeOf<ClientResult<unknown>>();
void archive('id', { signal: new AbortController().signal });
void archive('id', undefined, { ifMatch: '"1"' });
void setRole('id', { userId: 'ada', role: null }, { ifMatch: '"1"' });
// @ts-expect-error It is about no record.
void bulkArchive({ ids: ['id'] }, { ifMatch: '"1"' });
// @ts-expect-error It takes nothing.
void archive('id', { force: true });
// @ts-expect-error It is about one record.
void archive();
// @ts-expect-error It is asked for by POST alone.
void archive.get('id');

expectTypeOf(setRole('id', { userId: 'ada', role: null })).resolves.toEqualTypeOf<
  ClientResult<{ readonly ok: true; readonly at: string }>
>();
// @ts-expect-error There is no such role.
void setRole('id', { userId: 'ada', role: 'owner' });
// @ts-expect-error The role is missing.
void setRole('id', { userId: 'ada' });

expectTypeOf(plan.get('id')).resolves.toEqualTypeOf<ClientResult<{ readonly plan: string }>>();
void plan('id', { plan: 'pro' });
// @ts-expect-error A plan is missing.
void plan('id');
// @ts-expect-error It is asked for by GET and POST alone.
void plan.delete('id');
// @ts-expect-error It has the path of the plan.
void client.entities.projects.changePlan('id', { plan: 'pro' });

expectTypeOf(bulkArchive({ ids: ['id'] })).resolves.toEqualTypeOf<ClientResult<{ readonly archived: number }>>();
// @ts-expect-error It is about no record in particular.
void bulkArchive('id', { ids: ['id'] });
// @ts-expect-error There is no such action.
void client.entities.projects.delete_all();
// @ts-expect-error The tasks have none.
void client.entities.tasks.archive('id');

const found = await client.services.fullText.find();
if (found.ok) expectTypeOf(found.data[0]?.at).toEqualTypeOf<string | null | undefined>();
void client.services.fullText.find({ text: 'x' });
// @ts-expect-error It takes nothing else.
void client.services.fullText.find({ query: 'x' });
// @ts-expect-error There is no such service.
void client.services.search;
const languages = await client.services.fullText.get({ in: 'a' });
if (languages.ok) expectTypeOf(languages.data[0]).toEqualTypeOf<string | undefined>();
// @ts-expect-error It has the path of the service, and is called by its method.
void client.services.fullText.languages;
// @ts-expect-error No action has this method.
void client.services.fullText.post({});

const project = await client.entities.projects.get('id', { access: ['task:update'] });
expectTypeOf(unwrap(project).name).toEqualTypeOf<string>();
if (project.ok) {
  expectTypeOf(project.data.__access).toEqualTypeOf<{
    readonly 'task:update': AccessCheck;
    readonly 'task:delete': AccessCheck;
  }>();
  client.access.can('task:delete', project.data);
}

const query = { access: ['task:update'] } as const;
const planned = await client.entities.projects.create({ name: 'x' }, { query });
expectTypeOf(planned).toEqualTypeOf<typeof project>();
const unasked = await client.entities.projects.create({ name: 'x' });
// @ts-expect-error It was not requested.
if (unasked.ok) void unasked.data.__access;
// @ts-expect-error There is no such entitlement.
void client.entities.projects.create({ name: 'x' }, { query: { access: ['project:read'] } });

// Organizations bring their entity, their services and, unless the app names another, their definition.
const organizations = { entity: projects, services: [search], definition } as const;
const tenants = createClient<{ organizations: typeof organizations }>();
expectTypeOf(tenants.entities.projects).toEqualTypeOf<typeof alone.entities.projects>();
expectTypeOf(tenants.services.fullText).toEqualTypeOf<Client<Tracker>['services']['fullText']>();
expectTypeOf(tenants.access.can).parameter(0).toEqualTypeOf<keyof typeof definition.entitlements>();
const alone = createClient<{ entities: readonly [typeof projects]; access: typeof definition }>();
// @ts-expect-error There is no such entity.
void tenants.entities.tasks;
