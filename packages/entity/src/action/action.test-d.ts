import { rules } from '@x/access';
import type { Result } from '@x/errors';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { action, recordAction } from './action.ts';
import type { EntityApi, SystemApi } from './entity-api.ts';
import { defineService } from './service.ts';

const model = defineModel('notes', {
  fields: { title: field.text(), secret: field.text({ nullable: true, hidden: true }) },
});

const notes = defineEntity({
  model,
  access: { list: rules.public, get: rules.public, create: false, update: false, delete: false },
  actions: {
    rename: recordAction(model, {
      input: z.strictObject({ title: z.string(), at: z.coerce.date() }),
      output: z.strictObject({ title: z.string() }),
      rule: rules.public,
      handler({ input, record, version }) {
        expectTypeOf(input).toEqualTypeOf<{ title: string; at: Date }>();
        expectTypeOf(record.secret).toEqualTypeOf<string | null>();
        expectTypeOf(version).toEqualTypeOf<number>();
        return { title: input.title };
      },
    }),
    count: action({
      output: z.int(),
      rule: rules.public,
      handler: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<undefined>();
        return 1;
      },
    }),
  },
});

const tools = defineService({
  name: 'tools',
  actions: { ping: action({ rule: rules.public, handler: () => 'pong' }) },
});

declare const api: EntityApi;

expectTypeOf(tools.name).toEqualTypeOf<'tools'>();
expectTypeOf(api.act(notes, 'rename', { id: '1', input: { title: 'x', at: '2026-01-01' } })).toEqualTypeOf<
  Promise<Result<{ title: string }>>
>();
expectTypeOf(api.act(notes, 'count', {})).toEqualTypeOf<Promise<Result<number>>>();
expectTypeOf(api.act(tools, 'ping', {})).toEqualTypeOf<Promise<Result<unknown>>>();

// @ts-expect-error A record's action needs the id of the record.
void api.act(notes, 'rename', { input: { title: 'x', at: '2026-01-01' } });
// @ts-expect-error The input is that of the action.
void api.act(notes, 'rename', { id: '1', input: { title: 7, at: '2026-01-01' } });
// @ts-expect-error There is no such action.
void api.act(tools, 'pong', {});
// @ts-expect-error A handler returns what the output takes.
action({ output: z.int(), rule: rules.public, handler: () => 'one' });

const secrets = defineModel('secrets', {
  fields: {
    title: field.text(),
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    words: field.integer({ default: 0, readOnly: true }),
    note: field.text({ nullable: true, hidden: true }),
  },
});
declare const system: SystemApi;
void system.create({ name: 'secrets', model: secrets }, { title: 'x', ownerId: 'ada', words: 1, note: 'y' });
void system.update({ name: 'secrets', model: secrets }, '1', { ownerId: 'ada', words: 1, note: null });
// @ts-expect-error Fields that callers have to give, the app has to give.
void system.create({ name: 'secrets', model: secrets }, { ownerId: 'ada' });
// @ts-expect-error Nobody sets when a record was created.
void system.update({ name: 'secrets', model: secrets }, '1', { createdAt: new Date() });
// @ts-expect-error Callers do not write read-only fields.
void api.update({ name: 'secrets', model: secrets }, '1', { words: 1 });
