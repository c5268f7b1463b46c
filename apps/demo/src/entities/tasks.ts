import { rules } from '@x/access';
import { action, belongsTo, defineEntity, defineModel, field, hasMany } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import type { TransactionStores } from '@x/store';
import { all, and, eq, isIn } from '@x/store/where';
import { z } from 'zod';
import { definition } from '../access/definition.ts';

const model = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    title: field.text({ trim: true, schema: z.string().min(1).max(1000) }),
    done: field.boolean({ default: false }),
    priority: field.enum(['low', 'normal', 'high'], { default: 'normal' }),
    assigneeId: field.uuid({ nullable: true }),
    dueAt: field.timestamp({ nullable: true }),
    estimate: field.decimal(6, 2, { nullable: true }),
    labels: field.json({ default: [], schema: z.array(z.string().min(1).max(50)).max(20) }),
  },
  relations: { project: belongsTo('projectId'), comments: hasMany('comments', 'taskId') },
  indexes: [
    ['projectId', 'id'],
    ['assigneeId', 'id'],
    // "My tasks", the most urgent first.
    { fields: ['assigneeId', 'dueAt'], where: { done: false } },
  ],
  parent: 'projectId',
});

const read = rules.entitlement('task:read');

/** The tasks of a project. */
export const tasks = defineEntity({
  model,
  definition,
  resource: { type: 'task' },
  recordAccess: ['task:update', 'task:delete'],
  access: {
    list: read,
    get: read,
    create: rules.entitlement('project:create-task'),
    update: rules.entitlement('task:update'),
    delete: rules.entitlement('task:delete'),
    export: rules.authenticated(),
    import: rules.authenticated(),
  },
  hooks: {
    before: {
      create: ({ projectId }, { stores }) => refuseArchived(stores, projectId),
      async update({ changes: { projectId } }, { stores }) {
        if (projectId !== undefined) await refuseArchived(stores, projectId);
      },
    },
  },
  actions: {
    'bulk-complete': action({
      summary: 'Mark tasks as done, all of them or none',
      errors: ['NOT_FOUND', 'FORBIDDEN'],
      input: z.strictObject({ ids: z.array(z.string()).max(100) }),
      output: z.strictObject({ completed: z.int() }),
      rule: rules.authenticated(),
      handler: ({ input, transaction }) =>
        transaction(async ({ entities, stores }) => {
          // In one order, so that two callers who complete the same tasks don't deadlock.
          const ids = [...new Set(input.ids)].toSorted();
          await lockProjects(stores, ids);
          for (const id of ids) unwrap(await entities.update({ name: 'tasks', model }, id, { done: true }));
          return { completed: ids.length };
        }),
    }),
  },
});

/**
 * Refuses a task in an archived project.
 *
 * @throws CodedError `CONFLICT`
 */
async function refuseArchived({ entities }: TransactionStores, projectId: string): Promise<void> {
  const { records } = await entities.list('projects', {
    where: and(eq('id', projectId), eq('archived', true)),
    order: [{ column: 'id', direction: 'asc' }],
    after: null,
    limit: 1,
  });
  if (records.length > 0) throw new CodedError('CONFLICT', 'The project is archived: it takes no new tasks.');
}

/**
 * Locks the projects of some tasks. Deleting a project also begins with locking it, and then locks its tasks in its own
 * order: without this, a transaction that has already locked some of them could deadlock with it.
 */
async function lockProjects({ entities }: TransactionStores, ids: readonly string[]): Promise<void> {
  const uuids = ids.filter((id) => z.guid().safeParse(id).success);
  const byId = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await entities.list('tasks', { where: isIn('id', uuids), order: byId, after: null, limit: 100 });
  const projectIds = new Set(records.map(({ row }) => row['projectId']).filter((id) => typeof id === 'string'));
  await entities.lock('projects', [...projectIds], all);
}
