import { createConfig, lintFromString } from '@redocly/openapi-core';
import { defineAccess, rules } from '@x/access';
import { describeAuth } from '@x/auth';
import { action, belongsTo, defineEntity, defineModel, field, hasMany } from '@x/entity';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { createOpenApiDocument, createOpenApiDocumentInSteps } from './create-openapi-document.ts';
import type { OpenApiDocument, Operation } from './document/document.ts';
import { sampleDocument } from './testing/sample-document.ts';

const { paths, components } = sampleDocument;

async function complaintsAbout(document: OpenApiDocument): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict', 'spec'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId} at ${at?.pointer}: ${message}`);
}

function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path));
}

it('satisfies the recommended and the strict rules of Redocly', { timeout: 30_000 }, async () => {
  expect(await complaintsAbout(sampleDocument)).toEqual([]);
  expect(await complaintsAbout(createOpenApiDocument({}))).toEqual([]);
});

it('gives each operation an id of its own that its declaration names', () => {
  const ids = operationsOf(sampleDocument).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['auth.signUp', 'notes.list', 'notes.list.action', 'trees.grow']));
});

it('names every parameter of a list as it is written in a URL', () => {
  const names = paths['/api/notes']?.get?.parameters?.map((each) => ('name' in each ? each.name : each.$ref)) ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      'where[state]',
      'where[createdAt][gte]',
      'where[id][in][]',
      'where[title][contains]',
      'where[stars][isNull]',
      'orderBy',
      'limit',
      'after',
      'select',
      'include',
      'count',
    ]),
  );
  // Nothing can be asked of JSON as a whole, and only texts are searched.
  expect(names.filter((name) => name.includes('[extra]') || name === 'where[stars][contains]')).toEqual([]);
});

it('lets a creation ask for entitlements where the entity has some, and for nothing else', () => {
  const definition = defineAccess({
    entities: { shelf: { roles: ['owner'] } },
    entitlements: { 'shelf:read': { roles: ['owner'] } },
  });
  const shelves = defineEntity({
    model: defineModel('shelves', { fields: {} }),
    definition,
    resource: { type: 'shelf' },
    access: { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false },
  });
  const document = createOpenApiDocument({ entities: [shelves] });
  const ownParameters = (operation: Operation | undefined): readonly string[] =>
    operation?.parameters?.flatMap((each) => ('name' in each ? [each.name] : [])) ?? [];
  expect(ownParameters(document.paths['/api/shelves']?.post)).toEqual(['access']);
  expect(document.components.schemas['ShelvesRecord']?.['properties']).toHaveProperty('__access');
  expect(ownParameters(paths['/api/notes']?.post)).toEqual([]);
});

it('names the fields of records that a relation leads to, except those that some caller may not see', () => {
  const { NoteRepliesWhere } = components.schemas;
  const names = Object.keys(NoteRepliesWhere?.['properties'] ?? {}).filter((name) => name.startsWith('note.'));
  expect(names).toEqual(expect.arrayContaining(['note.id', 'note.title', 'note.createdAt']));
  expect(names).not.toContain('note.extra');
  const parameters = paths['/api/note-replies']?.get?.parameters ?? [];
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'where[note.title][contains]', in: 'query' }));
});

it('allows only lists as long as queries may have', () => {
  const listed = Object.fromEntries(
    (paths['/api/notes']?.get?.parameters ?? []).flatMap((each) => ('name' in each ? [[each.name, each.schema]] : [])),
  );
  expect(listed).toMatchObject({
    orderBy: { minItems: 1, maxItems: 8 },
    select: { minItems: 1 },
    include: { minItems: 1, maxItems: 10 },
    'where[id][in][]': { $ref: '#/components/schemas/UuidValues' },
  });
  expect(components.schemas['UuidValues']).toMatchObject({ minItems: 1, maxItems: 100 });
  expect(components.schemas['NotesQuery']).toMatchObject({
    properties: {
      orderBy: { anyOf: [{ minItems: 1, maxItems: 8 }, { type: 'string' }] },
      include: { anyOf: [{ maxItems: 10 }, { type: 'string' }] },
    },
  });
});

it('names the kinds of operands, and has each of them once', () => {
  expect(components.schemas['NotesWhere']).toMatchObject({
    properties: {
      id: { $ref: '#/components/schemas/UuidCondition' },
      state: { $ref: '#/components/schemas/NotesStateCondition' },
      stars: { $ref: '#/components/schemas/IntegerCondition' },
    },
  });
  expect(components.schemas['NotesStateValue']).toEqual({ type: 'string', enum: ['open', 'closed'] });
  expect(components.schemas['NotesStateCondition']).toMatchObject({
    anyOf: [
      { $ref: '#/components/schemas/NotesStateValue' },
      { properties: { ne: { $ref: '#/components/schemas/NotesStateValue' }, isNull: { type: 'boolean' } } },
    ],
  });
  expect(JSON.stringify(components.schemas['NotesStateCondition'])).not.toContain('contains');
  expect(JSON.stringify(components.schemas['TextCondition'])).toContain('istartsWith');
});

it('gives schemas and operations names that differ by more than punctuation', async () => {
  const access = {
    list: rules.public,
    get: rules.public,
    create: rules.public,
    update: rules.public,
    delete: false,
  } as const;
  const state = () => field.enum(['open', 'closed']);
  const done = () => action({ rule: rules.public, handler: () => null });
  const projects = defineModel('projects', { fields: { state: state() } });
  const tasks = defineModel('tasks', {
    fields: { projectId: field.uuid({ references: 'projects' }), projectState: state(), listState: state() },
    relations: { project: belongsTo('projectId') },
  });
  const others = ['tasks-list', 'tasks-bulk', 'notes-2', 'notes2'].map((name) =>
    defineEntity({
      model: defineModel(name, { fields: { state: state() } }),
      access: { ...access, bulk: rules.public },
      actions: { complete: done() },
    }),
  );
  const document = createOpenApiDocument({
    entities: [
      defineEntity({ model: projects, access }),
      defineEntity({
        model: tasks,
        access: { ...access, bulk: rules.public },
        actions: { 'bulk-complete': done(), list: done(), 'list-action': done() },
      }),
      ...others,
    ],
  });
  const { schemas } = document.components;
  const lettersOf = (name: string | undefined): string => (name ?? '').replaceAll(/\W|_/g, '').toLowerCase();
  const names = Object.keys(schemas);
  expect(new Set(names.map(lettersOf)).size).toBe(names.length);
  const ids = operationsOf(document).map(({ operationId }) => operationId);
  expect(new Set(ids.map(lettersOf)).size).toBe(ids.length);
  expect(names).toEqual(
    expect.arrayContaining(['TasksBulkItem', 'TasksBulkUpdate', 'Notes_2Record', 'Notes2RecordN2']),
  );
  expect(schemas['Notes2PageN2']).toMatchObject({
    properties: { items: { items: { $ref: '#/components/schemas/Notes2SelectedN2' } } },
  });
  // A generator makes up a name for a schema in another one, from the name of its property.
  const inline = Object.entries(schemas['TasksWhere']?.['properties'] ?? {}).filter(
    ([name, schema]) => name.includes('.') && !('$ref' in (schema as object)),
  );
  expect(inline).toEqual([]);
  expect(await complaintsAbout(document)).toEqual([]);
});

it('describes conditions on values in JSON by the beginning of their paths', () => {
  const { NotesWhere, NoteRepliesWhere, JsonCondition } = components.schemas;
  const condition = { $ref: '#/components/schemas/JsonCondition' };
  expect(NotesWhere?.['patternProperties']).toEqual({ '^extra[.]': condition });
  expect(NoteRepliesWhere?.['patternProperties']).toEqual({ '^note[.]extra[.]': condition });
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.addSchema({ $id: 'document', ...sampleDocument }).compile({
    $ref: 'document#/components/schemas/NotesWhere',
  });
  const isValid = (path: string, filter: unknown): boolean => validate({ [path]: filter });
  expect(isValid('extra.a.0', 'x') && isValid('extra.a', { gt: 3, in: [true], contains: 'x' })).toBe(true);
  expect(isValid('extra', 'x') || isValid('extra.a', null) || isValid('extra.a', { like: 1 })).toBe(false);
  expect(JsonCondition).toBeDefined();
});

it('describes a relation through a third entity only where callers can read both', async () => {
  const access = { create: false, update: false, delete: false, get: rules.public } as const;
  const documentWith = (list: typeof rules.public | false): OpenApiDocument => {
    const join = defineModel('item-tags', {
      fields: { itemId: field.uuid({ references: 'items' }), tagId: field.uuid({ references: 'tags' }) },
    });
    const items = defineModel('items', { fields: {}, relations: { tags: hasMany('tags', { through: 'item-tags' }) } });
    return createOpenApiDocument({
      entities: [
        defineEntity({ model: items, access: { ...access, list: rules.public } }),
        defineEntity({ model: defineModel('tags', { fields: {} }), access: { ...access, list: rules.public } }),
        defineEntity({ model: join, access: { ...access, list, get: list } }),
      ],
    });
  };
  const document = documentWith(rules.public);
  expect(document.components.schemas['ItemsSelected']).toMatchObject({
    properties: {
      tags: { items: { $ref: '#/components/schemas/TagsSelected' }, maxItems: 100 },
      includeMeta: { properties: { tags: {} } },
    },
  });
  expect(document.components.schemas['ItemsRelation']).toMatchObject({ enum: ['tags'] });
  expect(await complaintsAbout(document)).toEqual([]);
  const { properties } = documentWith(false).components.schemas['ItemsSelected'] ?? {};
  expect(properties).not.toHaveProperty('tags');
});

it('leaves out hidden fields, operations without a rule, and features that are off', () => {
  expect(JSON.stringify(sampleDocument)).not.toContain('secretNote');
  expect(Object.keys(paths['/api/note-replies/{id}'] ?? {})).toEqual(['get', 'delete']);
  expect(components.schemas).not.toHaveProperty('NoteRepliesUpdate');
  expect(
    Object.keys(
      createOpenApiDocument({ auth: { basePath: '/api/auth', cookiePrefix: 'app', routes: [], schemas: {} } }).paths,
    ),
  ).toEqual(['/healthz', '/readyz', '/api/openapi.json', '/api/docs']);
});

it('says of fields with rules of reading that they may be left out, and of none how to probe them', () => {
  const { NoteRepliesRecord, NoteRepliesCreate, NoteRepliesWhere } = components.schemas;
  expect(NoteRepliesRecord?.['required']).toEqual(['id', 'noteId', 'body', 'createdAt', 'updatedAt']);
  expect(NoteRepliesRecord).toMatchObject({
    properties: {
      rating: { description: 'Left out if the caller may not read it.' },
      reviewerId: { description: expect.stringMatching(/^The id .* Left out/) as string },
    },
  });
  expect(NoteRepliesCreate).toMatchObject({
    properties: { rating: { description: 'Refused if the caller may not write it.' } },
  });
  // Administrators can ask for ratings.
  expect(Object.keys(NoteRepliesWhere?.['properties'] ?? {})).toContain('rating');
  expect(Object.keys(NoteRepliesWhere?.['properties'] ?? {})).not.toContain('reviewerId');
});

it('documents the requirements of each operation on its caller', () => {
  expect(paths['/api/notes']?.get?.security).toEqual([{ session: [] }, { bearer: [] }]);
  expect(paths['/api/notes']?.post?.security).toEqual([{ session: [], csrf: [] }, { bearer: [] }]);
  expect(paths['/api/labels']?.get?.security).toEqual([]);
  // Who is signed in may be shown more of them.
  expect(paths['/api/note-replies']?.get?.security).toEqual([{}, { session: [] }, { bearer: [] }]);
  expect(paths['/api/auth/signin']?.post?.security).toEqual([{ csrf: [] }]);
  expect(paths['/api/auth/refresh']?.post?.security).toEqual([{ refresh: [], csrf: [] }]);
  expect(paths['/api/auth/mfa/challenge']?.post?.security).toEqual([{ challenge: [], csrf: [] }]);
});

it('documents the errors of each operation, and their headers', () => {
  expect(paths['/api/note-replies']?.post?.responses).toMatchObject({
    403: { $ref: '#/components/responses/CSRF_FAILED.FORBIDDEN.STEP_UP_REQUIRED' },
    409: { $ref: '#/components/responses/CONFLICT' },
  });
  expect(paths['/api/notes/{id}/archive']?.post?.responses).toHaveProperty('409');
  expect(paths['/api/trees/grow']?.post?.responses).toHaveProperty('429');
  expect(components.responses['RATE_LIMITED']?.headers).toHaveProperty('Retry-After');
  expect(components.responses['METHOD_NOT_ALLOWED']?.headers).toHaveProperty('Allow');
  expect(paths['/api/notes']?.post?.responses['201']).toMatchObject({ headers: { ETag: {}, Location: {} } });
  expect(paths['/api/auth/session']?.get?.description).toContain('`X-APP-Refresh: possible`');
});

it('says whether a change of the parent moves a record, with the errors of deleting and creating it', () => {
  const describe = (remove: typeof rules.public | false) => {
    const fields = { boardId: field.uuid({ references: 'boards' }) };
    const access = { list: rules.public, get: rules.public, create: rules.public, update: rules.public };
    const document = createOpenApiDocument({
      entities: [
        defineEntity({ model: defineModel('boards', { fields: {} }), access: { ...access, delete: false } }),
        defineEntity({
          model: defineModel('cards', { fields, parent: 'boardId' }),
          access: { ...access, delete: remove && rules.all(rules.authenticated(), rules.fva(60)) },
        }),
      ],
    });
    const { properties } = document.components.schemas['CardsUpdate'] as { properties: Record<string, object> };
    return [properties['boardId'], document.paths['/api/cards/{id}']?.patch?.responses['403']];
  };
  expect(describe(rules.public)).toMatchObject([
    { description: expect.stringContaining('A change moves the record') as unknown },
    { $ref: expect.stringContaining('STEP_UP_REQUIRED') as unknown },
  ]);
  expect(describe(false)).toMatchObject([
    { description: expect.stringContaining('Set on creation; may be sent back unchanged.') as unknown },
    { $ref: expect.not.stringContaining('STEP_UP_REQUIRED') as unknown },
  ]);
});

it('describes conditional requests where they are heeded', () => {
  const headersOf = (operation: Operation | undefined): readonly unknown[] =>
    (operation?.parameters ?? []).flatMap((each) => ('in' in each && each.in === 'header' ? [each.name] : []));
  const note = paths['/api/notes/{id}'];
  expect([note?.get, note?.patch, note?.delete].map(headersOf)).toEqual([
    ['If-None-Match'],
    ['If-Match'],
    ['If-Match'],
  ]);
  expect(Object.keys(note?.get?.responses ?? {})).toContain('304');
  // The fields that a rule hides can change while the version stays the same.
  const reply = paths['/api/note-replies/{id}'];
  expect([headersOf(reply?.get), Object.keys(reply?.get?.responses ?? {})]).toEqual([
    [],
    expect.not.arrayContaining(['304']),
  ]);
  for (const action of [paths['/api/notes/{id}/archive']?.post, paths['/api/notes/{id}/plan']?.get]) {
    expect(headersOf(action)).toEqual(['If-Match']);
    expect(Object.keys(action?.responses ?? {})).toContain('412');
  }
  expect(headersOf(paths['/api/notes/list']?.post)).toEqual([]);
  const bulk = paths['/api/notes/bulk']?.post;
  expect(Object.keys(bulk?.responses ?? {})).toContain('412');
  expect(bulk?.requestBody?.content['application/json']?.schema).toMatchObject({
    properties: { delete: { items: { anyOf: [{ type: 'string' }, { properties: { ifMatch: { type: 'string' } } }] } } },
  });
  expect(bulk?.requestBody?.content['application/json']?.schema).toMatchObject({
    properties: {
      updateWhere: { properties: { set: { $ref: '#/components/schemas/NotesUpdate' } }, required: ['where', 'set'] },
      deleteWhere: { properties: { where: { $ref: '#/components/schemas/NotesWhere' } }, required: ['where'] },
    },
  });
  expect(components.schemas['NotesBulkItem']).toMatchObject({ properties: { ifMatch: { type: 'string' } } });
});

it('describes which fields an aggregate may be about', () => {
  const aggregate = paths['/api/notes/aggregate']?.post;
  expect(aggregate?.requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/NotesAggregate',
  });
  const functionsOf = (given: unknown): readonly unknown[] =>
    (given as { properties: { measures: { additionalProperties: { anyOf: readonly unknown[] } } } }).properties.measures
      .additionalProperties.anyOf;
  const schema = components.schemas['NotesAggregate'];
  expect(schema).toMatchObject({
    properties: { groupBy: { items: { enum: expect.arrayContaining(['pinned', 'dueAt', 'id']) }, maxItems: 3 } },
    required: ['measures'],
  });
  expect(functionsOf(schema)).toContainEqual(
    expect.objectContaining({ properties: { sum: { type: 'string', enum: ['stars', 'weight'] } } }),
  );
  const namedIn = (name: string): readonly string[] =>
    functionsOf(schema)
      .filter((each) => JSON.stringify(each).includes(name))
      .flatMap((each) => Object.keys((each as { readonly properties: object }).properties));
  expect([namedIn('extra'), namedIn('secretNote'), namedIn('pinned')]).toEqual([
    ['count'],
    [],
    ['count', 'min', 'max'],
  ]);
  const [counted] = functionsOf(schema);
  expect(counted).toMatchObject({ properties: { count: { anyOf: [{}, { type: 'boolean', enum: [true] }] } } });
});

it('describes an upsert by its two outcomes and the errors of both', () => {
  const upsert = paths['/api/notes/upsert']?.post;
  expect(upsert?.operationId).toBe('notes.upsert');
  expect(upsert?.requestBody?.content['application/json']?.schema).toMatchObject({
    properties: { record: { $ref: '#/components/schemas/NotesCreate' } },
    required: ['by', 'record'],
  });
  expect(Object.keys(upsert?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '403', '404', '409']),
  );
  expect(paths['/api/note-replies/upsert']).toBeUndefined();
});

it('describes the response of an action, or that it does not declare one', () => {
  const contentOf = (path: string, method: 'get' | 'post' = 'post'): unknown =>
    (paths[path]?.[method]?.responses['200'] as { readonly content?: unknown } | undefined)?.content;
  expect(contentOf('/api/notes/{id}/plan', 'get')).toMatchObject({
    'application/json': { schema: { type: 'object' } },
  });
  expect(contentOf('/api/notes/{id}/print')).toMatchObject({ 'text/plain': { schema: { type: 'string' } } });
  expect(contentOf('/api/notes/{id}/export')).toEqual({ '*/*': {} });
});

it('describes the page of a link only where session cookies are strict', async () => {
  for (const sameSite of ['strict', 'lax'] as const) {
    const auth = describeAuth({ providers: [{ id: 'github' }], session: { cookie: { sameSite } } });
    const document = createOpenApiDocument({ auth });
    const { responses = {} } = document.paths['/api/auth/oauth/{provider}/callback']?.get ?? {};
    expect(Object.keys(responses).slice(0, 2)).toEqual(sameSite === 'strict' ? ['200', '302'] : ['302', '400']);
    expect(JSON.stringify(responses).includes('text/html')).toBe(sameSite === 'strict');
    expect(await complaintsAbout(document)).toEqual([]);
  }
});

it('gives examples that fit their schemas', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...sampleDocument });
  const bodies = operationsOf(sampleDocument).flatMap(({ requestBody, responses, operationId }) =>
    [requestBody, ...Object.values(responses)].flatMap((part) => {
      const json = part && 'content' in part ? part.content?.['application/json'] : undefined;
      return json?.schema && json.example !== undefined ? [{ operationId, ...json }] : [];
    }),
  );
  expect(bodies.length).toBeGreaterThan(60);
  const wrong = bodies.filter(({ schema, example }) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
    return !ajv.validate(JSON.parse(text) as object, example);
  });
  expect(wrong.map(({ operationId, example }) => [operationId, example])).toEqual([]);
});

it('is the same if it is created in steps, at least one for each group of routes', () => {
  const auth = describeAuth({});
  const steps = createOpenApiDocumentInSteps({ auth });
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(step.value).toEqual(createOpenApiDocument({ auth }));
  expect(count).toBeGreaterThanOrEqual(step.value.tags.length);
});
