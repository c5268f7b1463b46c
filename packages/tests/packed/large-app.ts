/**
 * Writes the sources of an app with so many entities: the declarations of its server, and a page that uses all of them.
 */
export function writeLargeApp(entities: number): Readonly<Record<string, string>> {
  const all = Array.from({ length: entities }, (_, index) => index);
  return {
    'server.ts': `
      import { defineAccess, rules } from '@x/access';
      import { action, belongsTo, defineEntity, defineModel, field, hasMany, recordAction } from '@x/entity';
      import { z } from 'zod';
      export const definition = defineAccess({
        entities: { ${all.map((n) => `type${n}: { roles: ['owner', 'editor'] }`).join(', ')} },
        entitlements: { ${all.flatMap((n) => entitlementsOf(n).map((name) => `'${name}': { roles: ['owner'] }`)).join(', ')} },
      });
      const anyone = { list: rules.public, get: rules.public, create: rules.public, update: rules.public, delete: rules.public } as const;
      ${all.map((n) => declarationOf(n, entities)).join('\n')}
      export const entities = [${all.map((n) => `entity${n}`).join(', ')}] as const;
    `,
    'page.ts': `
      import { createClient } from '@x/client';
      import type { definition, entities } from './server.ts';
      const client = createClient<{ entities: typeof entities; access: typeof definition }>();
      ${all.map((n) => useOf(n, entities)).join('\n')}
    `,
  };
}

function entitlementsOf(n: number): readonly string[] {
  return ['read', 'update', 'delete', 'share'].map((verb) => `type${n}:${verb}`);
}

function declarationOf(n: number, entities: number): string {
  const next = (n + 1) % entities;
  return `
    const model${n} = defineModel('records-${name(n)}', {
      fields: {
        nextId: field.uuid({ references: 'records-${name(next)}' }),
        ownerId: field.text({ serverValue: ({ userId }) => userId }),
        title: field.text(),
        body: field.text({ nullable: true }),
        done: field.boolean({ default: false }),
        state: field.enum(['open', 'closed', 'late${n}'], { default: 'open' }),
        points: field.integer({ nullable: true }),
        weight: field.number({ default: 1 }),
        dueAt: field.timestamp({ nullable: true }),
        labels: field.json({ default: [] }),
        note: field.text({ nullable: true, hidden: true }),
      },
      relations: { next: belongsTo('nextId'), previous: hasMany('records-${name((n + entities - 1) % entities)}', 'nextId') },
    });
    const entity${n} = defineEntity({
      model: model${n},
      access: anyone,
      definition,
      recordAccess: ['type${n}:update'],
      actions: {
        archive: recordAction(model${n}, { rule: rules.public, handler: () => undefined }),
        'set-state': recordAction(model${n}, {
          rule: rules.public,
          input: z.strictObject({ state: z.enum(['open', 'closed']), at: z.date().optional() }),
          output: z.strictObject({ ok: z.literal(true), at: z.date() }),
          handler: () => ({ ok: true as const, at: new Date() }),
        }),
        'bulk-close': action({
          rule: rules.public,
          input: z.strictObject({ ids: z.array(z.string()) }),
          output: z.strictObject({ closed: z.int() }),
          handler: ({ input }) => ({ closed: input.ids.length }),
        }),
      },
    });`;
}

function useOf(n: number, entities: number): string {
  const entity = `client.entities.records${name(n).replace(/^./, (letter) => letter.toUpperCase())}`;
  return `
    const list${n} = await ${entity}.list({
      where: { done: false, title: { startsWith: 'a' }, OR: [{ points: { gte: 1 } }, { state: 'late${n}' }] },
      orderBy: ['dueAt:desc', 'title'],
      include: ['next.previous', 'previous'],
      access: ['type${n}:delete', 'type${(n + 7) % entities}:read'],
      count: true,
    });
    if (list${n}.ok) {
      const [record] = list${n}.data.items;
      const title: string | undefined = record?.next?.previous[0]?.title;
      const may: boolean | undefined = record && client.access.can('type${n}:update', record);
      void [title, may];
    }
    await ${entity}.create({ nextId: 'id', title: 'x', dueAt: new Date() });
    await ${entity}.update('id', { state: 'closed' }, { ifMatch: '"1"' });
    await ${entity}.setState('id', { state: 'open' });
    await ${entity}.bulkClose({ ids: ['id'] });`;
}

/** Letters, since a dash before a digit stays in the names of clients. */
function name(n: number): string {
  return String.fromCodePoint(97 + Math.floor(n / 26), 97 + (n % 26));
}
