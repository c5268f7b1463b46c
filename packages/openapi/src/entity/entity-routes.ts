import { type Entity, findGrantColumns, type Operation } from '@x/entity';
import type { ErrorCode } from '@x/errors';
import type { Parameter } from '../document/document.ts';
import { bodyErrors, type HeaderName, type Route, type RouteAnswer, type RouteGroup } from '../document/route.ts';
import { readSecurity, writeSecurity } from '../document/security.ts';
import { arrayOf, type JsonSchema, objectOf, schemaRef } from '../schema/json-schema.ts';
import { describeActions } from '../action/action-routes.ts';
import { idParameter } from './id-parameter.ts';
import { getParameters, listParameters, type QueryNames, querySchemas } from './query.ts';
import { inputSchemas, recordSchemas } from './record-schemas.ts';
import { findRelations, toIncludePaths } from './relations.ts';
import { errorsOfRule, isForAll } from './rule-errors.ts';
import { toSchemaName } from './schema-name.ts';

/** Describes the routes of entities, each in a group of its own. */
export function describeEntities(entities: readonly Entity[]): readonly RouteGroup[] {
  const columns = findGrantColumns(new Map(entities.map((entity) => [entity.name, entity])));
  return entities.map((entity) => {
    const entitlements = [...(columns.get(entity.name)?.entitlements ?? [])];
    return describeEntity(entity, entities, { include: toIncludePaths(entity, entities), entitlements });
  });
}

function describeEntity(entity: Entity, entities: readonly Entity[], names: QueryNames): RouteGroup {
  const { name } = entity;
  const operations: readonly (readonly [Operation, Terms])[] = [
    ['list', listTerms(entity, listParameters(entity, names))],
    ['list', queryTerms(entity)],
    ['create', createTerms(entity)],
    ['bulk', bulkTerms(entity)],
    ['get', getTerms(entity, getParameters(entity, names))],
    ['update', updateTerms(entity)],
    ['delete', deleteTerms],
  ];
  const actions = describeActions(entity.compiledActions.values());
  const exposed = operations.filter(([operation]) => entity.rules.has(operation));
  return {
    tags: [{ name, description: `Records of \`${name}\`.` }],
    routes: [...exposed.map(([operation, terms]) => toRoute(entity, operation, terms)), ...actions.routes],
    schemas: {
      ...recordSchemas(entity, { relations: findRelations(entity, entities), entitlements: names.entitlements }),
      ...inputSchemas(entity),
      ...querySchemas(entity, names),
      ...actions.schemas,
    },
  };
}

/** In what the routes of an entity differ. */
interface Terms {
  readonly name: string;
  readonly method: Route['method'];
  readonly path: '' | '/query' | '/bulk' | '/{id}';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly input?: JsonSchema;
  readonly answer: RouteAnswer;
  readonly errors: readonly ErrorCode[];
}

function toRoute(entity: Entity, operation: Operation, terms: Terms): Route {
  const { name, method, path, summary, description, parameters = [], input, answer, errors } = terms;
  const rule = entity.rules.get(operation);
  const caller = rule?.admitsAnonymous ? 'visitor' : 'user';
  const isRead = method === 'get';
  return {
    operationId: `${entity.name}.${name}`,
    tag: entity.name,
    method,
    path: `/api/${entity.name}${path}`,
    summary,
    description,
    security: isRead ? (isForAll(rule) ? readSecurity.anyone : readSecurity[caller]) : writeSecurity[caller],
    parameters: [...(path === '/{id}' ? [idParameter] : []), ...parameters],
    body: input && { schema: input, isRequired: true },
    answers: [{ ...answer, headers: ['Cache-Control', ...(answer.headers ?? [])] }],
    errors: [...errors, ...(isRead ? [] : bodyErrors), ...errorsOfRule(entity, operation)],
  };
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'An `ETag`, or several: the record is touched only where it has this version.',
  schema: { type: 'string' },
  example: '"1"',
};

const versioned: readonly HeaderName[] = ['ETag'];

function json(
  status: number,
  description: string,
  schema: JsonSchema,
  headers: readonly HeaderName[] = [],
): RouteAnswer {
  return { status, description, content: { 'application/json': schema }, headers };
}

function listTerms({ name }: Entity, parameters: readonly Parameter[]): Terms {
  return {
    name: 'list',
    method: 'get',
    path: '',
    summary: `List records of ${name}`,
    parameters,
    answer: json(200, 'A page.', schemaRef(toSchemaName(name, 'Page'))),
    errors: ['INVALID_QUERY'],
  };
}

function queryTerms({ name }: Entity): Terms {
  return {
    name: 'query',
    method: 'post',
    path: '/query',
    summary: `List records of ${name} by a query in JSON`,
    description: 'The same as the list, for queries that are long or combine filters.',
    input: schemaRef(toSchemaName(name, 'Query')),
    answer: json(200, 'A page.', schemaRef(toSchemaName(name, 'Page'))),
    errors: ['INVALID_QUERY'],
  };
}

function getTerms({ name }: Entity, parameters: readonly Parameter[]): Terms {
  return {
    name: 'get',
    method: 'get',
    path: '/{id}',
    summary: `Get a record of ${name}`,
    parameters,
    answer: json(200, 'The record.', schemaRef(toSchemaName(name, 'Selected')), versioned),
    errors: ['INVALID_QUERY', 'NOT_FOUND'],
  };
}

function createTerms({ name }: Entity): Terms {
  return {
    name: 'create',
    method: 'post',
    path: '',
    summary: `Create a record of ${name}`,
    input: schemaRef(toSchemaName(name, 'Create')),
    answer: json(201, 'The record.', schemaRef(toSchemaName(name, 'Record')), ['ETag', 'Location']),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'CONFLICT'],
  };
}

function updateTerms({ name }: Entity): Terms {
  return {
    name: 'update',
    method: 'patch',
    path: '/{id}',
    summary: `Change a record of ${name}`,
    description: 'What is left out stays. A change that is empty changes nothing.',
    parameters: [ifMatch],
    input: schemaRef(toSchemaName(name, 'Update')),
    answer: json(200, 'The record as it is now.', schemaRef(toSchemaName(name, 'Record')), versioned),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  };
}

const deleteTerms: Terms = {
  name: 'delete',
  method: 'delete',
  path: '/{id}',
  summary: 'Delete a record, and those that go with it',
  parameters: [ifMatch],
  answer: { status: 204, description: 'It is gone.' },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
};

function bulkTerms({ name, rules }: Entity): Terms {
  const kinds = {
    create: { ...arrayOf(schemaRef(toSchemaName(name, 'Create'))), maxItems: 100 },
    update: { ...arrayOf(schemaRef(toSchemaName(name, 'BulkUpdate'))), maxItems: 100 },
    delete: { ...arrayOf({ type: 'string', format: 'uuid' }), maxItems: 100 },
  };
  const possible = Object.entries(kinds).filter(([kind]) => rules.has(kind as Operation));
  const record = schemaRef(toSchemaName(name, 'Record'));
  return {
    name: 'bulk',
    method: 'post',
    path: '/bulk',
    summary: `Write many records of ${name} at once`,
    description:
      'At most 100 in all, in one transaction: the first that fails undoes all, and `issues[0].path` names it.',
    input: objectOf(Object.fromEntries(possible), []),
    answer: json(
      200,
      'What was written.',
      objectOf({
        created: arrayOf(record),
        updated: arrayOf(record),
        deleted: arrayOf({ type: 'string', format: 'uuid' }),
      }),
    ),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  };
}
