import { type Entity, findResourceColumns, type Operation } from '@x/entity';
import type { ErrorCode } from '@x/errors';
import type { Parameter } from '../document/document.ts';
import {
  bodyErrors,
  type HeaderName,
  idParameter,
  readSecurity,
  type Route,
  type RouteGroup,
  type RouteResponse,
  writeSecurity,
} from '../document/route.ts';
import { arrayOf, type JsonSchema, objectOf, schemaRef } from '../schema/json-schema.ts';
import { describeActions } from './action-routes.ts';
import { getParameters, listParameters, type QueryNames, querySchemas } from './query.ts';
import { findRelations, inputSchemas, recordSchemas, toSchemaName, toIncludePaths } from './record-schemas.ts';
import { errorsOfRule, isForAll } from './rule-errors.ts';

/** Describes the routes of entities, each in a group of its own. */
export function describeEntities(entities: readonly Entity[]): readonly RouteGroup[] {
  const columns = findResourceColumns(new Map(entities.map((entity) => [entity.name, entity])));
  return entities.map((entity) => {
    const entitlements = [...(columns.get(entity.name)?.entitlements ?? [])];
    return describeEntity(entity, entities, { include: toIncludePaths(entity, entities), entitlements });
  });
}

function describeEntity(entity: Entity, entities: readonly Entity[], names: QueryNames): RouteGroup {
  const { name } = entity;
  const actions = describeActions(entity.compiledActions.values());
  const exposed = operationTerms(entity, names).filter(([operation]) => entity.rules.has(operation));
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

function toRoute(entity: Entity, operation: Operation, terms: OperationTerms): Route {
  const { name, method, path, summary, description, parameters = [], input, response, errors } = terms;
  const rule = entity.rules.get(operation);
  const caller = rule?.allowsAnonymous ? 'visitor' : 'user';
  const isRead = method === 'get';
  // Signed-in callers may be shown more.
  const isSame = isForAll(rule) && entity.fieldRules.read.size === 0;
  return {
    operationId: `${entity.name}.${name}`,
    tag: entity.name,
    method,
    path: `/api/${entity.name}${path}`,
    summary,
    description,
    security: isRead ? (isSame ? readSecurity.anyone : readSecurity[caller]) : writeSecurity[caller],
    parameters: [...(path === '/{id}' ? [idParameter] : []), ...parameters],
    body: input && { schema: input, isRequired: true },
    responses: [{ ...response, headers: ['Cache-Control', ...(response.headers ?? [])] }],
    errors: [...errors, ...(isRead ? [] : bodyErrors), ...errorsOfRule(entity, operation)],
  };
}

/** The differences between the routes of an entity. */
interface OperationTerms {
  readonly name: string;
  readonly method: Route['method'];
  readonly path: '' | '/query' | '/bulk' | '/{id}';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly input?: JsonSchema;
  readonly response: RouteResponse;
  readonly errors: readonly ErrorCode[];
}

/** Lists the terms of all operations that an entity exposes, in the order of the document. */
function operationTerms(entity: Entity, names: QueryNames): readonly (readonly [Operation, OperationTerms])[] {
  return [
    ['list', listTerms(entity, listParameters(entity, names))],
    ['list', queryTerms(entity)],
    ['create', createTerms(entity)],
    ['bulk', bulkTerms(entity)],
    ['get', getTerms(entity, getParameters(entity, names))],
    ['update', updateTerms(entity)],
    ['delete', deleteTerms],
  ];
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'One or more `ETag`s: the record is changed only if its version is one of them.',
  schema: { type: 'string' },
  example: '"1"',
};

const versioned: readonly HeaderName[] = ['ETag'];

function json(
  status: number,
  description: string,
  schema: JsonSchema,
  headers: readonly HeaderName[] = [],
): RouteResponse {
  return { status, description, content: { 'application/json': schema }, headers };
}

function listTerms({ name }: Entity, parameters: readonly Parameter[]): OperationTerms {
  return {
    name: 'list',
    method: 'get',
    path: '',
    summary: `List records of ${name}`,
    parameters,
    response: json(200, 'A page.', schemaRef(toSchemaName(name, 'Page'))),
    errors: ['INVALID_QUERY'],
  };
}

function queryTerms({ name }: Entity): OperationTerms {
  return {
    name: 'query',
    method: 'post',
    path: '/query',
    summary: `List records of ${name} with a query in JSON`,
    description: 'The same list, for long queries and combined filters.',
    input: schemaRef(toSchemaName(name, 'Query')),
    response: json(200, 'A page.', schemaRef(toSchemaName(name, 'Page'))),
    errors: ['INVALID_QUERY'],
  };
}

function getTerms({ name }: Entity, parameters: readonly Parameter[]): OperationTerms {
  return {
    name: 'get',
    method: 'get',
    path: '/{id}',
    summary: `Get a record of ${name}`,
    parameters,
    response: json(200, 'The record.', schemaRef(toSchemaName(name, 'Selected')), versioned),
    errors: ['INVALID_QUERY', 'NOT_FOUND'],
  };
}

function createTerms({ name }: Entity): OperationTerms {
  return {
    name: 'create',
    method: 'post',
    path: '',
    summary: `Create a record of ${name}`,
    input: schemaRef(toSchemaName(name, 'Create')),
    response: json(201, 'The record.', schemaRef(toSchemaName(name, 'Record')), ['ETag', 'Location']),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'CONFLICT'],
  };
}

function updateTerms({ name }: Entity): OperationTerms {
  return {
    name: 'update',
    method: 'patch',
    path: '/{id}',
    summary: `Change a record of ${name}`,
    description: 'Fields that are left out stay the same. An empty change changes nothing.',
    parameters: [ifMatch],
    input: schemaRef(toSchemaName(name, 'Update')),
    response: json(200, 'The record as it is now.', schemaRef(toSchemaName(name, 'Record')), versioned),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  };
}

const deleteTerms: OperationTerms = {
  name: 'delete',
  method: 'delete',
  path: '/{id}',
  summary: 'Delete a record, and those that belong to it',
  parameters: [ifMatch],
  response: { status: 204, description: 'Deleted.' },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
};

function bulkTerms({ name, rules }: Entity): OperationTerms {
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
      'At most 100 changes, in one transaction: the first failure undoes all of them, and `issues[0].path` names it.',
    input: objectOf(Object.fromEntries(possible), []),
    response: json(
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
