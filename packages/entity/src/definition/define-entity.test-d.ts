import { rules } from '@x/access';
import { expectTypeOf } from 'vitest';
import type { EntityApi } from '../action/entity-api.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { CreateInputOf, GuardedModel, RecordOf, StoredRecordOf } from '../model/model.ts';
import { defineEntity } from './define-entity.ts';
import type { Entity } from './entity.ts';

const model = defineModel('projects', {
  fields: {
    name: field.text(),
    budget: field.integer({ nullable: true }),
    startsAt: field.timestamp({ default: 'now' }),
    internalNote: field.text({ nullable: true, hidden: true }),
  },
});

const open = { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false } as const;

const projects = defineEntity({
  model,
  access: {
    ...open,
    fields: {
      budget: { read: rules.role('admin'), write: rules.role('admin') },
      startsAt: { write: false },
    },
  },
});

interface Project {
  readonly id: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly budget?: number | null;
}

expectTypeOf<RecordOf<(typeof projects)['model']>>().toEqualTypeOf<Project>();
expectTypeOf<RecordOf<typeof model>['budget']>().toEqualTypeOf<number | null>();
expectTypeOf<StoredRecordOf<(typeof projects)['model']>['budget']>().toEqualTypeOf<number | null>();
expectTypeOf<CreateInputOf<(typeof projects)['model']>>().toEqualTypeOf<CreateInputOf<typeof model>>();

declare const api: EntityApi;
const got = await api.get(projects, 'id');
if (got.ok) expectTypeOf(got.value.record).toEqualTypeOf<Project>();
const whole = await api.get({ name: 'projects', model }, 'id');
if (whole.ok) expectTypeOf(whole.value.record.budget).toEqualTypeOf<number | null>();

// An entity without rules of fields shows all fields. An annotation can name fields that have a rule.
expectTypeOf<RecordOf<(typeof plain)['model']>>().toEqualTypeOf<RecordOf<typeof model>>();
const plain = defineEntity({ model, access: open });
const annotated: Entity<GuardedModel<typeof model, 'budget'>> = projects;
expectTypeOf<RecordOf<(typeof annotated)['model']>>().toEqualTypeOf<Project>();

// @ts-expect-error There is no such field.
defineEntity({ model, access: { ...open, fields: { budgt: { read: rules.public } } } });
// @ts-expect-error There is no such field, next to one that there is.
defineEntity({ model, access: { ...open, fields: { name: { read: false }, budgt: { read: false } } } });
// @ts-expect-error Every record shows it.
defineEntity({ model, access: { ...open, fields: { createdAt: { read: false } } } });
// @ts-expect-error Nothing is done with a field but reading and writing.
defineEntity({ model, access: { ...open, fields: { name: { delete: false } } } });
// @ts-expect-error It is no rule.
defineEntity({ model, access: { ...open, fields: { name: { read: true } } } });
