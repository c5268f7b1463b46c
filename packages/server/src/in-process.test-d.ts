import { type AccessCheck, anonymous, defineAccess, rules } from '@x/access';
import { addEntityRoutes } from '@x/entity/hono';
import { belongsTo, defineEntity, defineModel, field, hasMany, recordAction } from '@x/entity';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createServer, type Server } from './create-server.ts';

// The operations of app code have the types of the client's operations, except that dates are `Date`s.

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;

const definition = defineAccess({
  entities: { task: { roles: ['editor'] } },
  entitlements: { 'task:update': { roles: ['editor'] }, 'task:delete': { roles: ['editor'] } },
});

const taskModel = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects' }),
    title: field.text(),
    priority: field.enum(['low', 'high'], { default: 'low' }),
    points: field.integer({ nullable: true }),
    dueAt: field.timestamp({ nullable: true }),
    labels: field.json({ default: [] }),
    note: field.text({ nullable: true, hidden: true }),
  },
  relations: { project: belongsTo('projectId') },
});

const tasks = defineEntity({
  model: taskModel,
  definition,
  access: { ...access, fields: { points: { read: rules.role('admin') } } },
  actions: {
    move: recordAction(taskModel, {
      rule: rules.public,
      output: z.strictObject({ ok: z.boolean() }),
      async handler({ record, entities }) {
        // An action does not know the other entities of the app, so related records may have any fields.
        const found = await entities.get({ name: 'tasks', model: taskModel }, record.id, { include: ['project'] });
        if (found.ok) expectTypeOf(found.value.record.project?.['name']).toEqualTypeOf<unknown>();
        // @ts-expect-error There is no such relation.
        await entities.get({ name: 'tasks', model: taskModel }, record.id, { include: ['owner'] });
        return { ok: found.ok };
      },
    }),
  },
});

const projects = defineEntity({
  model: defineModel('projects', {
    fields: { name: field.text(), archivedAt: field.timestamp({ nullable: true }) },
    relations: { tasks: hasMany('tasks', 'projectId') },
  }),
  definition,
  access,
  recordAccess: ['task:update'],
});

const server = await createServer({
  auth: { session: { strategy: 'jwt' } },
  access: { definition, orgResolver: () => null },
  entities: [tasks, projects],
});
expectTypeOf(server).toExtend<Server>();
addEntityRoutes(server.app, server.entities, {} as never);

const api = server.entities.asSystem();

const listed = await api.list(tasks, {
  where: { title: { startsWith: 'a' }, priority: { in: ['low'] }, dueAt: { lt: new Date() }, OR: [{ points: 1 }] },
  orderBy: ['dueAt:desc', 'title'],
  include: ['project.tasks'],
  access: ['task:delete'],
  limit: 10,
  after: null,
  count: true,
});
if (listed.ok) {
  const { items, total, nextCursor } = listed.value;
  expectTypeOf(total).toEqualTypeOf<number>();
  expectTypeOf(nextCursor).toEqualTypeOf<string | null>();
  const task = items[0]!;
  expectTypeOf(task.dueAt).toEqualTypeOf<Date | null>();
  expectTypeOf(task.points).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(task.__access).toEqualTypeOf<{ readonly 'task:delete': AccessCheck }>();
  expectTypeOf(task.project!.archivedAt).toEqualTypeOf<Date | null>();
  expectTypeOf(task.project!.tasks[0]!.title).toEqualTypeOf<string>();
  // @ts-expect-error No caller may see it.
  void task.note;
}

const narrowed = await api.list(tasks, { select: ['title'] });
if (narrowed.ok) {
  expectTypeOf(narrowed.value.items[0]!).toEqualTypeOf<{ readonly title: string }>();
  // @ts-expect-error It was not asked for.
  void narrowed.value.total;
}

const got = await server.entities.as(anonymous).get(projects, 'id', { include: ['tasks'] });
if (got.ok) {
  expectTypeOf(got.value.version).toEqualTypeOf<number>();
  expectTypeOf(got.value.record.tasks[0]!.dueAt).toEqualTypeOf<Date | null>();
  expectTypeOf(got.value.record.__access).toEqualTypeOf<{ readonly 'task:update': AccessCheck }>();
}

// @ts-expect-error There is no such field.
void api.list(tasks, { where: { titel: 'x' } });
// @ts-expect-error There is no such field to callers.
void api.list(tasks, { where: { note: 'x' } });
// @ts-expect-error JSON can't be filtered.
void api.list(tasks, { where: { labels: 'x' } });
// @ts-expect-error There is no such operator.
void api.list(tasks, { where: { title: { like: 'x' } } });
// @ts-expect-error Only texts are searched.
void api.list(tasks, { where: { points: { contains: '1' } } });
// @ts-expect-error It is no value of the field.
void api.list(tasks, { where: { OR: [{ priority: 'urgent' }] } });
// @ts-expect-error There is no such field.
void api.list(tasks, { orderBy: 'due:desc' });
// @ts-expect-error There is no such direction.
void api.list(tasks, { orderBy: 'dueAt:down' });
// @ts-expect-error There is no such field.
void api.list(tasks, { select: ['name'] });
// @ts-expect-error There is no such relation.
void api.list(tasks, { include: ['owner'] });
// @ts-expect-error There is no such relation.
void api.list(tasks, { include: ['project.owner'] });
// @ts-expect-error There is no such entitlement.
void api.list(tasks, { access: ['task:read'] });
// @ts-expect-error There is no such parameter.
void api.list(tasks, { page: 2 });
// @ts-expect-error One record is not counted.
void api.get(tasks, 'id', { count: true });
