import type { JsonValue } from '@x/store';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { defineModel } from './define-model.ts';
import type { Caller } from './field.ts';
import { field } from './field.ts';
import {
  belongsTo,
  type CreateInputOf,
  hasMany,
  type RecordOf,
  type StoredRecordOf,
  type UpdateInputOf,
} from './model.ts';

const tasks = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text({ schema: z.string().min(1).max(200) }),
    slug: field.text({ unique: true, nullable: true }),
    done: field.boolean({ default: false }),
    priority: field.enum(['low', 'normal', 'high'], { default: 'normal' }),
    points: field.integer({ nullable: true }),
    weight: field.number({ nullable: true }),
    dueAt: field.timestamp({ nullable: true }),
    labels: field.json({ default: [] }),
    code: field.uuid({ generated: true }),
    score: field.integer({ default: 0, readOnly: true }),
    internalNote: field.text({ nullable: true, hidden: true }),
  },
  relations: { project: belongsTo('projectId'), comments: hasMany('comments', 'taskId') },
  indexes: [['ownerId', 'createdAt']],
  parent: 'projectId',
});

type Tasks = typeof tasks;

// Clients, whose types follow the models, can read how long a text may be.
const short = defineModel('short', { fields: { title: field.text({ maxLength: 80 }) } });
expectTypeOf<(typeof short)['fields']['title']['options']['maxLength']>().toEqualTypeOf<80>();

const fields = { state: field.enum(['open', 'done']), dueAt: field.timestamp({ nullable: true }), n: field.integer() };
defineModel('typed', {
  fields,
  indexes: [
    ['n:desc'],
    { fields: ['n'], where: { state: 'open', dueAt: { lt: new Date() }, NOT: { n: { in: [1] } } } },
  ],
  unique: [{ fields: ['n'], where: { dueAt: null, createdAt: { gt: '2026-01-01T00:00:00Z' } } }],
});
// @ts-expect-error It is no value of the field.
defineModel('typed', { fields, indexes: [{ fields: ['n'], where: { state: 'closed' } }] });
// @ts-expect-error There is no such field.
defineModel('typed', { fields, unique: [{ fields: ['n'], where: { status: 'open' } }] });
// @ts-expect-error An index can't search.
defineModel('typed', { fields, indexes: [{ fields: ['n'], where: { state: { contains: 'o' } } }] });
// @ts-expect-error The condition is missing.
defineModel('typed', { fields, indexes: [{ fields: ['n'] }] });

expectTypeOf<Tasks['name']>().toEqualTypeOf<'tasks'>();
expectTypeOf<Tasks['relations']['comments']['entity']>().toEqualTypeOf<'comments'>();
expectTypeOf(hasMany('tags', { through: 'item-tags' }).entity).toEqualTypeOf<'tags'>();
// @ts-expect-error There is no such option.
hasMany('tags', { via: 'item-tags' });

expectTypeOf<RecordOf<Tasks>>().toEqualTypeOf<{
  readonly id: string;
  readonly projectId: string;
  readonly ownerId: string;
  readonly title: string;
  readonly slug: string | null;
  readonly done: boolean;
  readonly priority: 'low' | 'normal' | 'high';
  readonly points: number | null;
  readonly weight: number | null;
  readonly dueAt: Date | null;
  readonly labels: JsonValue;
  readonly code: string;
  readonly score: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}>();

expectTypeOf<StoredRecordOf<Tasks>['internalNote']>().toEqualTypeOf<string | null>();

expectTypeOf<CreateInputOf<Tasks>>().toEqualTypeOf<{
  readonly projectId: string;
  readonly title: string;
  readonly slug?: string | null;
  readonly done?: boolean;
  readonly priority?: 'low' | 'normal' | 'high';
  readonly points?: number | null;
  readonly weight?: number | null;
  readonly dueAt?: Date | string | null;
  readonly labels?: JsonValue;
}>();

expectTypeOf<UpdateInputOf<Tasks>>().toEqualTypeOf<{
  readonly projectId?: string;
  readonly title?: string;
  readonly slug?: string | null;
  readonly done?: boolean;
  readonly priority?: 'low' | 'normal' | 'high';
  readonly points?: number | null;
  readonly weight?: number | null;
  readonly dueAt?: Date | string | null;
  readonly labels?: JsonValue;
}>();

field.text({
  serverValue: (caller) => {
    expectTypeOf(caller).toEqualTypeOf<Caller>();
    return caller.tenantId;
  },
});

// @ts-expect-error A default has the type of the field.
field.integer({ default: 'one' });
// @ts-expect-error A default of an enum is one of its values.
field.enum(['a', 'b'], { default: 'c' });
// @ts-expect-error JSON can't be queried, so it can't be checked for duplicates.
field.json({ unique: true });
defineModel('notes', { fields: { taskId: field.uuid(), boardId: field.uuid() }, parent: ['taskId', 'boardId'] });
// @ts-expect-error Each parent is one of the fields.
defineModel('notes', { fields: { taskId: field.uuid() }, parent: ['taskId', 'boardId'] });
// @ts-expect-error The parent is one of the fields.
defineModel('notes', { fields: { title: field.text() }, parent: 'taskId' });

const customers = defineModel('customers', {
  table: 'legacy.customers',
  managed: false,
  id: field.integer({ generated: 'database' }),
  columns: { id: 'customer_no', createdAt: 'added', updatedAt: null },
  fields: { name: field.text() },
});

const orders = defineModel('orders', {
  table: 'orders',
  managed: false,
  id: field.text(),
  fields: { customerId: field.integer({ references: 'customers' }), paid: field.boolean({ default: false }) },
});

expectTypeOf<RecordOf<typeof customers>>().toEqualTypeOf<{
  readonly id: string;
  readonly createdAt: Date;
  readonly name: string;
}>();
expectTypeOf<CreateInputOf<typeof customers>>().toEqualTypeOf<{ readonly name: string }>();
expectTypeOf<RecordOf<typeof orders>['customerId']>().toEqualTypeOf<string>();
expectTypeOf<CreateInputOf<typeof orders>>().toEqualTypeOf<{
  readonly id: string;
  readonly customerId: string;
  readonly paid?: boolean;
}>();
expectTypeOf<UpdateInputOf<typeof orders>>().toEqualTypeOf<{
  readonly customerId?: string;
  readonly paid?: boolean;
}>();
