import type { Entity, Operation } from '@x/entity';
import type { ErrorCode } from '@x/errors';
import type { Parameter } from '../document/document.ts';
import type { HeaderName, Route, RouteAnswer } from '../document/route.ts';
import { arrayOf, type JsonSchema, objectOf, schemaRef } from '../schema/json-schema.ts';
import { getParameters, listParameters, type QueryNames } from './query.ts';
import { toSchemaName } from './schema-name.ts';

/** The differences between the routes of an entity. */
export interface OperationTerms {
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

/** Lists the terms of all operations that an entity exposes, in the order of the document. */
export function operationTerms(entity: Entity, names: QueryNames): readonly (readonly [Operation, OperationTerms])[] {
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
  description: 'One or more `ETag`s: the record is only changed if it has one of these versions.',
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

function listTerms({ name }: Entity, parameters: readonly Parameter[]): OperationTerms {
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

function queryTerms({ name }: Entity): OperationTerms {
  return {
    name: 'query',
    method: 'post',
    path: '/query',
    summary: `List records of ${name} with a query in JSON`,
    description: 'The same list, for long queries and combined filters.',
    input: schemaRef(toSchemaName(name, 'Query')),
    answer: json(200, 'A page.', schemaRef(toSchemaName(name, 'Page'))),
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
    answer: json(200, 'The record.', schemaRef(toSchemaName(name, 'Selected')), versioned),
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
    answer: json(201, 'The record.', schemaRef(toSchemaName(name, 'Record')), ['ETag', 'Location']),
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
    answer: json(200, 'The record as it is now.', schemaRef(toSchemaName(name, 'Record')), versioned),
    errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  };
}

const deleteTerms: OperationTerms = {
  name: 'delete',
  method: 'delete',
  path: '/{id}',
  summary: 'Delete a record, and those that belong to it',
  parameters: [ifMatch],
  answer: { status: 204, description: 'Deleted.' },
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
