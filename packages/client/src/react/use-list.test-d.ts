import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, field, hasMany, recordAction } from '@x/entity';
import { expectTypeOf } from 'vitest';
import type { Client } from '../index.ts';
import type { Pages, QueryState } from '../list.ts';
import { useAccess } from '../react.ts';
import { useList } from './list.ts';

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;

const taskModel = defineModel('tasks', {
  fields: { title: field.text(), dueAt: field.timestamp({ nullable: true }) },
  relations: { comments: hasMany('comments', 'taskId') },
});

const tasks = defineEntity({
  model: taskModel,
  access,
  actions: { archive: recordAction(taskModel, { rule: rules.public, handler: () => undefined }) },
});

const comments = defineEntity({
  access,
  model: defineModel('comments', {
    fields: { taskId: field.uuid({ references: 'tasks' }), body: field.text() },
    relations: { task: belongsTo('taskId') },
  }),
});

declare const client: Client<{
  entities: { readonly tasks: typeof tasks; readonly comments: typeof comments };
  access: { readonly entitlements: { readonly 'task:update': { readonly roles: readonly [] } } };
}>;

const { data } = useList(client.entities.tasks, {
  where: { title: { startsWith: 'a' } },
  include: ['comments'],
  access: ['task:update'],
  count: true,
});
const { items, total } = data!;
expectTypeOf(total).toEqualTypeOf<number | undefined>();
expectTypeOf(items[0]!.dueAt).toEqualTypeOf<string | null>();
expectTypeOf(items[0]!.comments[0]!.body).toEqualTypeOf<string>();
expectTypeOf(items[0]!.__access['task:update'].allowed).toEqualTypeOf<boolean>();
expectTypeOf(useList(client.entities.comments, { select: ['body'] })).toEqualTypeOf<
  QueryState<Pages<{ readonly body: string }>>
>();
// @ts-expect-error There is no such field.
useList(client.entities.tasks, { where: { titel: 'a' } });
// @ts-expect-error There is no such relation.
useList(client.entities.tasks, { include: ['comment'] });
// @ts-expect-error There is no such entitlement.
useAccess(client).can('task:read');
