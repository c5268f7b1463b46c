import { rules } from '@x/access';
import { action, belongsTo, defineEntity, defineModel, field, hasMany } from '@x/entity';
import { unwrap } from '@x/errors';
import { z } from 'zod';
import { definition } from '../access/definition.ts';

const model = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    title: field.text({ schema: z.string().min(1).max(1000) }),
    done: field.boolean({ default: false }),
    priority: field.enum(['low', 'normal', 'high'], { default: 'normal' }),
    assigneeId: field.uuid({ nullable: true }),
    dueAt: field.timestamp({ nullable: true }),
  },
  relations: { project: belongsTo('projectId'), comments: hasMany('comments', 'taskId') },
  indexes: [
    ['projectId', 'id'],
    ['assigneeId', 'id'],
  ],
  parent: 'projectId',
});

const read = rules.entitlement('task:read');

/** What is to be done in a project. */
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
  },
  actions: {
    'bulk-complete': action({
      summary: 'Mark tasks as done, all of them or none',
      errors: ['NOT_FOUND', 'FORBIDDEN'],
      input: z.strictObject({ ids: z.array(z.string()).max(100) }),
      output: z.strictObject({ completed: z.int() }),
      rule: rules.authenticated(),
      handler: ({ input, transaction }) =>
        transaction(async ({ entities }) => {
          // In one order, so that two who complete the same tasks don't wait for each other.
          const ids = [...new Set(input.ids)].toSorted();
          for (const id of ids) unwrap(await entities.update({ name: 'tasks', model }, id, { done: true }));
          return { completed: ids.length };
        }),
    }),
  },
});
