import { rules } from '@x/access';
import { defineEntity, defineModel, type Entity, field, toEntityTables } from '@x/entity';
import type { EntityTable } from '@x/store';
import { tree } from './tree.ts';

const model = defineModel('tasks', { fields: { title: field.text(), done: field.boolean({ default: false }) } });

const held = rules.entitlement('task:update');

/** Tasks that are listed by the roles that people hold on them, or above them. */
export const taskEntity: Entity = defineEntity({
  model,
  definition: tree,
  resource: { type: 'task' },
  access: { list: held, get: held, create: false, update: false, delete: false },
});

/** Their table. */
export const taskTables: readonly EntityTable[] = toEntityTables([model]);
