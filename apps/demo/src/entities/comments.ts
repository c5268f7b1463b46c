import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, field } from '@x/entity';
import { z } from 'zod';
import { definition } from '../access/definition.ts';

const model = defineModel('comments', {
  fields: {
    taskId: field.uuid({ references: 'tasks', onDelete: 'cascade' }),
    authorId: field.text({ serverValue: ({ userId }) => userId }),
    body: field.text({ trim: true, schema: z.string().min(1).max(10_000) }),
  },
  relations: { task: belongsTo('taskId') },
  indexes: [['taskId', 'id']],
  parent: 'taskId',
});

const onReadableTask = rules.entitlement('task:read');
const own = rules.all(rules.authenticated(), rules.where({ authorId: rules.user.id }));

/** Comments on tasks, by people who can see the task. */
export const comments = defineEntity({
  model,
  definition,
  access: { list: onReadableTask, get: onReadableTask, create: onReadableTask, update: own, delete: own },
});
