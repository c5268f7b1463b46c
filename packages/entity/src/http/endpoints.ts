import type { ErrorCode } from '@x/errors';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { RecordPage } from '../action/entity-api.ts';
import type { Service } from '../action/service.ts';
import type { Operation } from '../authorization/authorization.ts';
import { authorizeOperation } from '../authorization/open-authorization.ts';
import type { OperationRule } from '../authorization/operation-rule.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { uniqueKeysOf } from '../model/model.ts';
import { runAction } from '../operation/action.ts';
import { aggregateRecords } from '../operation/aggregate.ts';
import { writeBulk } from '../operation/bulk.ts';
import { toTools } from '../operation/create-api.ts';
import { createRecord } from '../operation/create.ts';
import { deleteRecord } from '../operation/delete.ts';
import { exportRecords, toLineStream } from '../operation/export.ts';
import { getRecord } from '../operation/get.ts';
import { type ImportLine, importRecords } from '../operation/import.ts';
import { listRecords } from '../operation/list.ts';
import { updateRecord } from '../operation/update.ts';
import { upsertRecord } from '../operation/upsert.ts';
import { parseAccessQuery } from '../query/parse-list-query.ts';
import { queryTerms } from '../record/caller-terms.ts';
import type { IfMatch } from '../record/mutate.ts';
import { type Shown, showAllWritten, type VisibleRecord, showWritten } from '../record/visible-record.ts';
import { serializeRecord } from './serialize-record.ts';

/**
 * One endpoint of an entity or a service: all that its route and its documentation have to know. It knows no
 * framework.
 */
export interface Endpoint {
  /** The entity or service that has it. */
  readonly owner: string;
  /**
   * The name of the operation, `query` for the list that takes its query as JSON, `aggregate`, `upsert`, or the name of
   * the action.
   */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the path of the API, such as `/notes/:id`. */
  readonly path: string;
  /** Null for an action. */
  readonly operation: Operation | null;
  /** Null for an operation. */
  readonly action: CompiledAction | null;
  readonly rule: OperationRule;
  /**
   * The source of the input: the parameters of the URL in the query language, or as they are; a JSON body; parameters
   * as they are, and a body of lines that is read while it arrives; or nothing, and then a request must not have any.
   */
  readonly reads: 'query' | 'parameters' | 'json' | 'lines' | 'nothing';
  /** Whether it takes the parameter `access` beside a body. */
  readonly readsAccess: boolean;
  /** Whether it heeds `If-Match`. */
  readonly readsIfMatch: boolean;
  /** The status and headers of a success. */
  readonly success: { readonly status: number; readonly headers: readonly ('ETag' | 'Location')[] };
  /** Whether it responds with 304 to an `If-None-Match` that names the version of the record. */
  readonly readsIfNoneMatch: boolean;
  /** The errors besides those of its rule, and of every route that writes. */
  readonly errors: readonly ErrorCode[];
  /** One line of documentation; undefined for an action that declares none. */
  readonly summary: string | undefined;
  readonly description?: string;
  run(call: Call, request: EndpointRequest): Promise<EndpointResponse | Response>;
}

/** The parts of a request that an endpoint reads. */
export interface EndpointRequest {
  /** The id in the path; empty if there is none. */
  readonly id: string;
  readonly input: unknown;
  /** The parameters beside a body; empty unless the endpoint takes some. */
  readonly query: Parameters;
  /** The lines of the body; none unless the endpoint reads them. */
  readonly lines: AsyncIterable<ImportLine>;
  readonly ifMatch: IfMatch;
}

/** A success; its status is that of the endpoint, if not said otherwise. */
export interface EndpointResponse {
  /** A value, or its JSON text; undefined for none. */
  readonly body?: object | string;
  /** The version of the record, for the `ETag`. */
  readonly version?: number;
  /** Whether the body can't have changed while the version is the same. */
  readonly isDeterminedByVersion?: boolean;
  /** The id of a new record, for the `Location`; the status is then 201. */
  readonly createdId?: string;
}

/** Lists the endpoints of an entity: its exposed operations in the order of the documentation, then its actions. */
export function endpointsOf(entity: Entity): readonly Endpoint[] {
  const declared = [list, query, aggregate, exportAll, importAll, create, upsert, bulk, get, update, remove].map(
    (toEndpoint) => toEndpoint(entity),
  );
  const exposed = declared.flatMap(({ path, ...endpoint }): readonly Endpoint[] => {
    const rule = endpoint.name === 'upsert' ? upsertRuleOf(entity) : entity.rules.get(endpoint.operation);
    const place = { owner: entity.name, path: `/${entity.name}${path}` };
    return rule ? [{ ...usual, ...endpoint, ...place, action: null, rule }] : [];
  });
  return [...exposed, ...actionsOf(entity, entity)];
}

/**
 * Finds out who may ask to create or change a record by a key: who satisfies one of the two rules. Undefined if there is
 * no rule for one of them, or no key.
 */
function upsertRuleOf({ model, rules }: Entity): OperationRule | undefined {
  const [create, update] = [rules.get('create'), rules.get('update')];
  if (!create || !update || uniqueKeysOf(model).length === 0) return undefined;
  return create.allowsAnonymous ? create : update.allowsAnonymous ? update : create;
}

/** Lists the endpoints of a service. */
export function endpointsOfService(service: Service): readonly Endpoint[] {
  return actionsOf(service, null);
}

/** What an endpoint is unless it says otherwise. */
const usual = {
  readsAccess: false,
  readsIfMatch: false,
  readsIfNoneMatch: false,
  success: { status: 200, headers: [] },
} as const satisfies Partial<Endpoint>;

/** An endpoint of an operation, without what all of them have in common. */
interface OperationEndpoint
  extends
    Omit<Endpoint, 'owner' | 'action' | 'rule' | keyof typeof usual>,
    Partial<Pick<Endpoint, keyof typeof usual>> {
  readonly operation: Operation;
}

const list = (entity: Entity): OperationEndpoint => ({
  name: 'list',
  operation: 'list',
  method: 'GET',
  path: '',
  summary: `List records of ${entity.name}`,
  reads: 'query',
  errors: ['INVALID_QUERY', 'QUERY_TOO_EXPENSIVE'],
  run: async (call, { input }) => toPage(await listRecords(call, entity, input)),
});

const query = (entity: Entity): OperationEndpoint => ({
  ...list(entity),
  name: 'query',
  method: 'POST',
  path: '/query',
  summary: `List records of ${entity.name} with a query in JSON`,
  description: 'The same list, for long queries and combined filters.',
  reads: 'json',
});

const aggregate = (entity: Entity): OperationEndpoint => ({
  ...query(entity),
  name: 'aggregate',
  path: '/aggregate',
  summary: `Group records of ${entity.name}, and compute with each group`,
  description: 'Of the records that a list would show. At most 3 fields to group by, 10 measures and 1000 groups.',
  async run(call, { input }) {
    const { groups } = await aggregateRecords(call, entity, input);
    return { body: { groups: groups.map(serializeRecord) } };
  },
});

const exportAll = (entity: Entity): OperationEndpoint => ({
  name: 'export',
  operation: 'export',
  method: 'GET',
  path: '/export',
  summary: `Export records of ${entity.name}`,
  description:
    'Those that a list would show, one line of JSON each, in the order of their ids. They are read while they are sent. ' +
    'An export that was cut off is continued by `where[id][gt]`, the id in the last whole line.',
  reads: 'query',
  errors: ['INVALID_QUERY', 'QUERY_TOO_EXPENSIVE'],
  async run(call, { input }) {
    const headers = {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': `attachment; filename="${entity.name}.ndjson"`,
    };
    const toLine = (record: VisibleRecord): string => `${JSON.stringify(serializeRecord(record))}\n`;
    return new Response(toLineStream(await exportRecords(call, entity, input as Parameters), toLine), { headers });
  },
});

const importAll = (entity: Entity): OperationEndpoint => ({
  name: 'import',
  operation: 'import',
  method: 'POST',
  path: '/import',
  summary: `Create records of ${entity.name} from lines of JSON`,
  description:
    'Each line is created as if it came alone, in the order of the lines, with its `id` if it has one. A line that is ' +
    'refused is named in `failed`, and the next one follows. The body may be of any length; a line has the limit of ' +
    'other bodies. An import that ended early is continued with the same lines and `resumeAfter`, the number of the ' +
    'last line that was dealt with: of its response, or of the `meta` of its error.',
  reads: 'lines',
  errors: ['INVALID_QUERY'],
  run: async (call, { input, lines }) => ({
    body: await importRecords(call, entity, { lines, query: input as Parameters }),
  }),
});

const get = (entity: Entity): OperationEndpoint => {
  const readsIfNoneMatch = entity.fieldRules.read.size === 0 && entity.recordAccess.length === 0;
  return {
    name: 'get',
    operation: 'get',
    method: 'GET',
    path: '/:id',
    summary: `Get a record of ${entity.name}`,
    reads: 'query',
    readsIfNoneMatch,
    success: { status: 200, headers: ['ETag'] },
    errors: ['INVALID_QUERY', 'QUERY_TOO_EXPENSIVE', 'NOT_FOUND'],
    async run(call, request) {
      const input = request.input as Parameters;
      const { record, version } = await getRecord(call, entity, request.id, input);
      // Related records and entitlements change without the record's version.
      const isDeterminedByVersion = readsIfNoneMatch && !('include' in input || 'access' in input);
      return { body: serializeRecord(record), version, isDeterminedByVersion };
    },
  };
};

/** The type of an input that is read as `query`. */
type Parameters = Readonly<Record<string, unknown>>;

const create = (entity: Entity): OperationEndpoint => ({
  name: 'create',
  operation: 'create',
  method: 'POST',
  path: '',
  summary: `Create a record of ${entity.name}`,
  reads: 'json',
  readsAccess: true,
  success: { status: 201, headers: ['ETag', 'Location'] },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'CONFLICT'],
  async run(call, { input, query }) {
    authorizeOperation(call, entity, 'create');
    const { entitlements } = parseAccessQuery(() => queryTerms(call, entity), query);
    const created = await createRecord(call, entity, input);
    const shown = await showWritten(call, entity, created, 'created', entitlements);
    return { ...toRecord(shown), createdId: created.row.id };
  },
});

const upsert = (entity: Entity): OperationEndpoint => ({
  name: 'upsert',
  operation: 'create',
  method: 'POST',
  path: '/upsert',
  summary: `Create a record of ${entity.name}, or change the one with the same key`,
  description:
    'Looks for the record that has the same values of the unique key that `by` names. If there is one, `record` changes ' +
    'it as PATCH would; otherwise it is created.',
  reads: 'json',
  success: { status: 200, headers: ['ETag'] },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  async run(call, { input }) {
    const { record, isNew } = await upsertRecord(call, entity, input);
    const shown = toRecord(await showWritten(call, entity, record, isNew ? 'created' : 'changed'));
    return isNew ? { ...shown, createdId: record.row.id } : shown;
  },
});

const update = (entity: Entity): OperationEndpoint => ({
  name: 'update',
  operation: 'update',
  method: 'PATCH',
  path: '/:id',
  summary: `Change a record of ${entity.name}`,
  description: 'Fields that are left out stay the same. An empty change changes nothing.',
  reads: 'json',
  readsIfMatch: true,
  success: { status: 200, headers: ['ETag'] },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { input, ...request }) =>
    toRecord(await showWritten(call, entity, await updateRecord(call, entity, request, input), 'changed')),
});

const remove = (entity: Entity): OperationEndpoint => ({
  name: 'delete',
  operation: 'delete',
  method: 'DELETE',
  path: '/:id',
  summary: 'Delete a record, and those that belong to it',
  reads: 'nothing',
  readsIfMatch: true,
  success: { status: 204, headers: [] },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  async run(call, request) {
    await deleteRecord(call, entity, request);
    return {};
  },
});

const bulk = (entity: Entity): OperationEndpoint => ({
  name: 'bulk',
  operation: 'bulk',
  method: 'POST',
  path: '/bulk',
  summary: `Write many records of ${entity.name} at once`,
  description:
    'At most 100 changes, in one transaction: the first failure undoes all of them, and `issues[0].path` names it. An ' +
    '`ifMatch` of an item is what `If-Match` is to a single change. `updateWhere` and `deleteWhere` change and delete ' +
    'the records that their filters select and the caller may write, at most 1000 each.',
  reads: 'json',
  errors: [
    'VALIDATION_FAILED',
    'INVALID_QUERY',
    'QUERY_TOO_EXPENSIVE',
    'FORBIDDEN',
    'NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
  ],
  async run(call, { input }) {
    const { created, updated, deleted } = await writeBulk(call, entity, input);
    return {
      body: {
        deleted,
        created: (await showAllWritten(call, entity, created, 'created')).map(serializeRecord),
        updated: (await showAllWritten(call, entity, updated, 'changed')).map(serializeRecord),
      },
    };
  },
});

function actionsOf(owner: Entity | Service, entity: Entity | null): readonly Endpoint[] {
  return [...owner.compiledActions.values()].map((compiled) => toActionEndpoint(compiled, entity));
}

/** @param entity - null for an action of a service */
function toActionEndpoint(compiled: CompiledAction, entity: Entity | null): Endpoint {
  const { owner, name, path, action, rule } = compiled;
  const { on, method, input: schema, status, rateLimit, errors, summary } = action;
  const isRead = method === 'GET';
  return {
    ...usual,
    owner,
    name,
    operation: null,
    action: compiled,
    rule,
    method,
    path: [`/${owner}`, ...(on === 'record' ? [':id'] : []), ...(path === '' ? [] : [path])].join('/'),
    summary,
    reads: schema ? (isRead ? 'parameters' : 'json') : 'nothing',
    readsIfMatch: on === 'record',
    success: { status, headers: [] },
    errors: [
      ...errors,
      isRead ? 'INVALID_QUERY' : 'VALIDATION_FAILED',
      ...(on === 'record' ? (['NOT_FOUND', 'PRECONDITION_FAILED'] as const) : []),
      ...(rateLimit ? (['RATE_LIMITED'] as const) : []),
    ],
    async run(call, { input, ...request }) {
      const target = on === 'record' && entity ? { entity, ...request } : null;
      const result = await runAction(call, { compiled, target, input, tools: toTools(call) });
      if (result instanceof Response) return result;
      return status === 204 ? {} : { body: JSON.stringify(result ?? null) };
    },
  };
}

function toPage(page: RecordPage<VisibleRecord>): EndpointResponse {
  return { body: { ...page, items: page.items.map(serializeRecord) } };
}

function toRecord({ record, version }: Shown): EndpointResponse {
  return { body: serializeRecord(record), version };
}
