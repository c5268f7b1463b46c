/** The sources of an app that uses most of what is typed: auth, entities, a service, the client and its hooks. */
export const sampleApp: Readonly<Record<string, string>> = {
  'app.ts': `
    import { defineAccess, rules } from '@x/access';
    import { type AuthOptions, createAuth } from '@x/auth';
    import { action, belongsTo, defineEntity, defineModel, defineService, field, hasMany, toEntityTables } from '@x/entity';
    import { createServer, type Server } from '@x/server';
    import { listen } from '@x/server/node';
    import { createSqliteStores } from '@x/store-sqlite';
    import { z } from 'zod';
    export const definition = defineAccess({
      entities: { team: { roles: ['lead', 'member'] } },
      entitlements: { 'team:read': { roles: ['lead', 'member'] }, 'team:update': { roles: ['lead'] } },
    });
    const access = { list: rules.public, get: rules.public, create: rules.public, update: rules.public, delete: false } as const;
    export const teams = defineEntity({
      model: defineModel('teams', { fields: { name: field.text() }, relations: { notes: hasMany('notes', 'teamId') } }),
      access,
      definition,
    });
    export const notes = defineEntity({
      model: defineModel('notes', {
        fields: { teamId: field.uuid({ references: 'teams' }), title: field.text(), dueAt: field.timestamp({ nullable: true }) },
        relations: { team: belongsTo('teamId') },
      }),
      access,
      definition,
    });
    const input = z.strictObject({ text: z.string() });
    export const search = defineService({
      name: 'search',
      actions: { find: action({ rule: rules.public, input, handler: ({ input: { text } }) => text }) },
    });
    export const userFields = { company: { schema: z.string(), update: true } };
    export const entities = [teams, notes] as const;
    const settings: AuthOptions<typeof userFields> = { production: false, session: { strategy: 'jwt' }, userFields };
    export const auth = await createAuth(settings);
    export const server = await createServer({
      database: createSqliteStores({ path: ':memory:', entities: toEntityTables(entities.map(({ model }) => model)) }),
      auth: settings,
      access: { definition, orgResolver: () => null },
      entities,
      services: [search],
    });
    export const anyServer: Server = server;
    const listed = await server.entities.asSystem().list(notes, { include: ['team'], where: { dueAt: { lt: new Date() } } });
    export const due: Date | null | undefined = listed.ok ? listed.value.items[0]?.dueAt : null;
    export const listening = await listen(server, { port: 0 });
  `,
  'page.tsx': `
    import { createClient } from '@x/client';
    import { useSession } from '@x/client/react';
    import { useList } from '@x/client/react/list';
    import type { ReactElement } from 'react';
    import type { definition, entities, search, userFields } from './app.ts';
    interface App {
      entities: typeof entities;
      services: readonly [typeof search];
      access: typeof definition;
      userFields: typeof userFields;
    }
    export const client = createClient<App>();
    export function Notes(): ReactElement {
      const session = useSession(client);
      const { data } = useList(client.entities.notes, { include: ['team'], orderBy: 'dueAt:desc' });
      return <ul title={String(session)}>{data?.items.map((note) => <li key={note.id}>{note.title} {note.team?.name}</li>)}</ul>;
    }
  `,
};

/** Expressions with a misspelt name, and the name that the compiler should suggest. */
export const misspelt: readonly (readonly [expression: string, suggestion: string])[] = [
  ["createAuth({ session: { strategy: 'jwt' }, emailVerificaton: { enabled: true } })", 'emailVerification'],
  ["createAuth({ session: { strategy: 'jwt', cokie: {} } })", 'cookie'],
  ["createAuth({ session: { strategy: 'jwt' }, userFields: { company: { shema: z.string() } } })", 'schema'],
  ["createServer({ auth: { session: { strategy: 'jwt' } }, entites: [notes] })", 'entities'],
  ["createServer({ auth: { session: { strategy: 'jwt' }, baseUrll: 'x' } })", 'baseUrl'],
  ["server.auth.api.signUp({ email: 'a', password: 'b', comapny: 'c' })", 'company'],
  ["defineModel('a', { fields: { title: field.text({ nulable: true }) } })", 'nullable'],
  ["defineModel('a', { fields: {}, idexes: [] })", 'indexes'],
  ["defineModel('a', { fields: { ownerId: field.uuid() }, parent: 'onwerId' })", 'ownerId'],
  ['defineEntity({ model, acess: access })', 'access'],
  ['defineEntity({ model, access: { ...access, lst: rules.public } })', 'list'],
  ['defineEntity({ model, access: { ...access, fields: { titel: { read: rules.public } } } })', 'title'],
  ['defineEntity({ model, access, hooks: { before: { crate: () => undefined } } })', 'create'],
  ['defineEntity({ model, access, maxLimt: 3 })', 'maxLimit'],
  ['action({ rule: rules.public, inptu: z.string(), handler: () => 1 })', 'input'],
  ["recordAction(model, { rule: rules.public, handler: () => 1, methd: 'GET' })", 'method'],
  ["defineAccess({ entities: {}, entitlements: { 'team:read': { role: ['lead'] } } })", 'roles'],
  ['api.list(notes, { wher: {} })', 'where'],
  ["api.list(notes, { where: { titel: 'x' } })", 'title'],
  ["api.list(notes, { where: { title: { contain: 'x' } } })", 'contains'],
  ["api.list(notes, { orderBy: 'dueAtt' })", 'dueAt'],
  ["api.create(notes, { titel: 'x', state: 'open' })", 'title'],
  ["api.create(notes, { title: 'x', state: 'opn' })", 'open'],
  ["client.entities.notes.list({ where: { titel: 'x' } })", 'title'],
  ["client.entities.notes.list({ select: ['titel'] })", 'title'],
  ["client.entities.notes.create({ title: 'x', state: 'open', dueat: null })", 'dueAt'],
  ['client.entities.nots', 'notes'],
  ['client.entities.notes.lst', 'list'],
];

/** A program that has each of the expressions on a line of its own, after as many lines as the second element says. */
export function writeMisspelt(): readonly [program: string, linesBefore: number] {
  const before = `import { defineAccess, rules } from '@x/access';
import { createAuth } from '@x/auth';
import { createClient } from '@x/client';
import { action, defineEntity, defineModel, field, recordAction } from '@x/entity';
import { createServer } from '@x/server';
import { z } from 'zod';
const access = { list: rules.public, get: rules.public, create: rules.public, update: rules.public, delete: false } as const;
const fields = { title: field.text(), state: field.enum(['open', 'late']), dueAt: field.timestamp({ nullable: true }) };
const model = defineModel('notes', { fields });
const notes = defineEntity({ model, access });
const auth = { session: { strategy: 'jwt' as const }, userFields: { company: { schema: z.string() } } };
const server = await createServer({ auth, entities: [notes] });
const api = server.entities.asSystem();
const client = createClient<{ entities: readonly [typeof notes] }>();
`;
  const lines = misspelt.map(([expression]) => `void ${expression};`);
  return [before + lines.join('\n'), before.split('\n').length - 1];
}

/** An app that declares its entities with other copies of the packages than its server has. */
export const appOfTwoCopies: Readonly<Record<string, string>> = {
  'notes.ts': `
    import { rules } from '@x/access';
    import { defineEntity, defineModel, field } from '@x/entity';
    import { CodedError } from '@x/errors';
    const model = defineModel('notes', { fields: { title: field.text(), dueAt: field.timestamp({ nullable: true }) } });
    const refuse = () => {
      throw new CodedError('CONFLICT', 'Of the other copy.');
    };
    export const notes = defineEntity({
      model,
      access: {
        list: rules.public, get: rules.public, create: rules.public, update: rules.public, delete: rules.public,
        fields: { dueAt: { read: rules.role('admin') } },
      },
      hooks: { before: { delete: refuse } },
    });
  `,
  'main.ts': `
    import { createClient } from '@x/client';
    import { createServer } from '@x/server';
    import { notes } from './copies/notes.ts';
    const server = await createServer({ auth: { production: false, session: { strategy: 'jwt' } }, entities: [notes] });
    const api = server.entities.asSystem();
    const created = await api.create(notes, { title: 'First' });
    if (!created.ok) throw new Error(created.error.message);
    const title: string = created.value.record.title;
    const due: Date | null | undefined = created.value.record.dueAt;
    const client = createClient<{ entities: readonly [typeof notes] }>({ baseUrl: 'http://localhost:3000' });
    const list: (query: { readonly where: { readonly title: string } }) => unknown = client.entities.notes.list;
    void [due, list];
    const headers = { origin: 'http://localhost:3000', 'x-app-request': '1' };
    const url = 'http://localhost:3000/api/notes/' + created.value.record.id;
    const refused = await server.fetch(new Request(url, { method: 'DELETE', headers }));
    console.log(title, refused.status);
    await server.close();
  `,
};
