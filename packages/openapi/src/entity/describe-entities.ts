import { isDeepStrictEqual } from 'node:util';
import { type Endpoint, type Entity, endpointsOf, findResourceColumns, type Operation } from '@x/entity';
import type { Method, Parameter } from '../document/document.ts';
import {
  idParameter,
  ifMatch,
  ifNoneMatch,
  readSecurity,
  type Route,
  type RouteGroup,
  type RouteResponse,
  toPathTemplate,
  writeErrors,
  writeSecurity,
} from '../document/route.ts';
import { arrayOf, type JsonSchema, objectOf, schemaRef } from '../schema/json-schema.ts';
import { describeActions } from './describe-actions.ts';
import { aggregateSchemas } from './aggregate.ts';
import { importOutcome, linesSchema, linesType, resumeAfter } from './import.ts';
import { nameKinds } from './operands.ts';
import {
  accessParameters,
  exportParameters,
  getParameters,
  listParameters,
  type QueryNames,
  querySchemas,
} from './query.ts';
import {
  findReferredTo,
  findRelations,
  inputSchemas,
  itemIfMatch,
  recordSchemas,
  toIncludePaths,
  toSchemaName,
  toIdSchema,
} from './record-schemas.ts';
import { errorsOfOperation, isForAll } from './rule-errors.ts';

/** Describes the routes of entities, one after another, each in a group of its own. */
export function* describeEntities(entities: readonly Entity[]): Generator<RouteGroup> {
  const kindOf = nameKinds(entities);
  const columns = findResourceColumns(new Map(entities.map((entity) => [entity.name, entity])));
  for (const entity of entities) {
    const entitlements = [...(columns.get(entity.name)?.entitlements ?? [])];
    yield describeEntity(entity, entities, {
      include: toIncludePaths(entity, entities),
      entitlements,
      related: findReferredTo(entity, entities),
      kindOf,
    });
  }
}

function describeEntity(entity: Entity, entities: readonly Entity[], names: QueryNames): RouteGroup {
  const { name } = entity;
  const endpoints = endpointsOf(entity);
  const actions = describeActions(endpoints, entity);
  return {
    tags: [{ name, description: `Records of \`${name}\`.` }],
    routes: [
      ...endpoints.flatMap((endpoint) =>
        endpoint.operation ? [toRoute(entity, names, { ...endpoint, operation: endpoint.operation })] : [],
      ),
      ...actions.routes,
    ],
    schemas: {
      ...recordSchemas(entity, { relations: findRelations(entity, entities), entitlements: names.entitlements }),
      ...inputSchemas(entity),
      ...querySchemas(entity, names),
      ...(entity.rules.has('list') && aggregateSchemas(entity)),
      ...actions.schemas,
    },
  };
}

/** An endpoint of an operation, not of an action. */
type OperationEndpoint = Endpoint & { readonly operation: Operation };

function toRoute(entity: Entity, names: QueryNames, endpoint: OperationEndpoint): Route {
  const { name, method, path, summary = name, description, readsIfNoneMatch, success } = endpoint;
  const input = inputOf(entity, name);
  const headers = ['Cache-Control', ...success.headers] as const;
  return {
    operationId: `${entity.name}.${name}`,
    tag: entity.name,
    method: method.toLowerCase() as Method,
    path: `/api${toPathTemplate(path)}`,
    summary,
    description,
    security: toSecurity(entity, endpoint),
    parameters: toParameters(entity, names, endpoint),
    body: endpoint.reads === 'lines' ? lines : input && { schema: input, isRequired: true },
    responses: [
      { status: success.status, headers, ...contentOf(entity, name) },
      ...(name === 'upsert'
        ? [{ status: 201, headers: [...headers, 'Location'] as const, ...contentOf(entity, 'create') }]
        : []),
      ...(readsIfNoneMatch ? [{ status: 304, description: 'Unchanged.', headers }] : []),
    ],
    errors: [...endpoint.errors, ...(method === 'GET' ? [] : writeErrors), ...errorsOfOperation(entity, endpoint)],
  };
}

function toSecurity({ fieldRules }: Entity, { method, rule }: OperationEndpoint): Route['security'] {
  const caller = rule.allowsAnonymous ? 'visitor' : 'user';
  if (method !== 'GET') return writeSecurity[caller];
  // Signed-in callers may be shown more.
  return readSecurity[isForAll(rule) && fieldRules.read.size === 0 ? 'anyone' : caller];
}

function toParameters(
  entity: Entity,
  names: QueryNames,
  { name, path, readsIfMatch, readsIfNoneMatch }: OperationEndpoint,
): readonly Parameter[] {
  return [
    ...(path.endsWith('/:id') ? [{ ...idParameter, schema: toIdSchema(entity) }] : []),
    ...(name === 'list' ? listParameters(entity, names) : []),
    ...(name === 'get' ? getParameters(entity, names) : []),
    ...(name === 'create' ? accessParameters(entity, names) : []),
    ...(name === 'export' ? exportParameters(entity, names) : []),
    ...(name === 'import' ? [resumeAfter] : []),
    ...(readsIfMatch ? [ifMatch] : []),
    ...(readsIfNoneMatch ? [ifNoneMatch] : []),
  ];
}

/** The body that an operation takes, if any. */
function inputOf(described: Entity, operation: string): JsonSchema | undefined {
  const { name: entity, rules } = described;
  const id = toIdSchema(described);
  if (operation === 'query') return schemaRef(toSchemaName(entity, 'Query'));
  if (operation === 'create') return schemaRef(toSchemaName(entity, 'Create'));
  if (operation === 'update') return schemaRef(toSchemaName(entity, 'Update'));
  if (operation === 'aggregate') return schemaRef(toSchemaName(entity, 'Aggregate'));
  if (operation === 'upsert') {
    const by = { anyOf: [{ type: 'string' }, arrayOf({ type: 'string' })], description: 'The fields of a unique key.' };
    return objectOf({ by, record: schemaRef(toSchemaName(entity, 'Create')) }, ['by', 'record']);
  }
  if (operation !== 'bulk') return undefined;
  const kinds = {
    create: { ...arrayOf(schemaRef(toSchemaName(entity, 'Create'))), maxItems: 100 },
    update: { ...arrayOf(schemaRef(toSchemaName(entity, 'BulkItem'))), maxItems: 100 },
    delete: { ...arrayOf({ anyOf: [id, objectOf({ id, ifMatch: itemIfMatch }, ['id'])] }), maxItems: 100 },
  };
  const possible = Object.entries(kinds).filter(([kind]) => rules.has(kind as Operation));
  const where = schemaRef(toSchemaName(entity, 'Where'));
  const set = schemaRef(toSchemaName(entity, 'Update'));
  const selections = {
    ...(rules.has('update') && { updateWhere: objectOf({ where, set }, ['where', 'set']) }),
    ...(rules.has('delete') && { deleteWhere: objectOf({ where }, ['where']) }),
  };
  return objectOf({ ...Object.fromEntries(possible), ...(rules.has('list') && selections) }, []);
}

const lines: Route['body'] = { schema: linesSchema, isRequired: true, mediaType: linesType };

/** The response of an operation. */
function contentOf(entity: Entity, operation: string): Pick<RouteResponse, 'description' | 'content'> {
  const { name } = entity;
  const json = (description: string, schema: JsonSchema): Pick<RouteResponse, 'description' | 'content'> => ({
    description,
    content: { 'application/json': schema },
  });
  switch (operation) {
    case 'list':
    case 'query':
      return json('A page.', schemaRef(toSchemaName(name, 'Page')));
    case 'export':
      return {
        description: 'The records, one line of JSON each.',
        content: { [linesType]: { type: 'string' } },
      };
    case 'import':
      return json('What was created, and which lines were not.', importOutcome);
    case 'aggregate':
      return json('The groups, in the order of their keys.', schemaRef(toSchemaName(name, 'Groups')));
    case 'get':
      return json('The record.', schemaRef(toSchemaName(name, 'Selected')));
    case 'create':
      return json('The record.', writtenRecord(entity, 'create'));
    case 'update':
    case 'upsert':
      return json('The record as it is now.', writtenRecord(entity, 'update'));
    case 'bulk':
      return json(
        'What was written.',
        objectOf(
          {
            created: arrayOf(writtenRecord(entity, 'create')),
            updated: arrayOf(writtenRecord(entity, 'update')),
            deleted: arrayOf(toIdSchema(entity)),
          },
          ['created', 'updated', 'deleted'],
        ),
      );
    default:
      return { description: 'Deleted.' };
  }
}

/** A record after a write: its id alone, if the rules let a caller write it who may not read it then. */
function writtenRecord({ name, rules }: Entity, operation: 'create' | 'update'): JsonSchema {
  const reading = rules.get('get') ?? rules.get('list');
  const record = schemaRef(toSchemaName(name, 'Record'));
  const idAlone = schemaRef('RecordId');
  if (!reading) return idAlone;
  const isReadable = isForAll(reading) || isDeepStrictEqual(reading.predicate, rules.get(operation)?.predicate);
  return isReadable || (operation === 'update' && !reading.hasConditions) ? record : { anyOf: [record, idAlone] };
}
