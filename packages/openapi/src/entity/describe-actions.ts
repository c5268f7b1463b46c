import { type CompiledAction, type Endpoint, endpointsOfService, type Entity, type Service } from '@x/entity';
import type { Method, Parameter } from '../document/document.ts';
import {
  idParameter,
  ifMatch,
  readSecurity,
  type Route,
  type RouteGroup,
  type RouteResponse,
  toPathTemplate,
  writeErrors,
  writeSecurity,
} from '../document/route.ts';
import { type JsonSchema, type NamedSchemas, toJsonSchema } from '../schema/json-schema.ts';
import { toIdSchema, toSchemaName } from './record-schemas.ts';
import { errorsOfRule, isForAll } from './rule-errors.ts';

/** Routes, and the schemas that they refer to. */
type DescribedActions = Pick<RouteGroup, 'routes' | 'schemas'>;

/** Describes the routes of a service. */
export function describeService(service: Service): RouteGroup {
  const { name } = service;
  return { tags: [{ name, description: `Actions of \`${name}\`.` }], ...describeActions(endpointsOfService(service)) };
}

/** Describes those endpoints that are actions, of an entity or a service. */
export function describeActions(endpoints: readonly Endpoint[], entity?: Entity): DescribedActions {
  const described = endpoints.flatMap((endpoint) =>
    endpoint.action ? [describeAction(endpoint, endpoint.action, entity)] : [],
  );
  return {
    routes: described.map(({ route }) => route),
    schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)) as NamedSchemas,
  };
}

function describeAction(
  { owner, name, method, path, summary, rule, readsIfMatch, success, errors }: Endpoint,
  { action }: CompiledAction,
  entity: Entity | undefined,
): { readonly route: Route; readonly schemas: NamedSchemas } {
  const prefix = toSchemaName(owner, `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll(/\W/g, '_')}`);
  const input = action.input && toJsonSchema(action.input, { io: 'input', prefix: `${prefix}Input` });
  const output = action.output && toJsonSchema(action.output, { io: 'output', prefix: `${prefix}Result` });
  const isRead = method === 'GET';
  const caller = rule.allowsAnonymous ? 'visitor' : 'user';
  const route: Route = {
    operationId: toOperationId(owner, name),
    tag: owner,
    method: method.toLowerCase() as Method,
    path: `/api${toPathTemplate(path)}`,
    summary: summary ?? toSentence(name),
    security: isRead ? readSecurity[isForAll(rule) ? 'anyone' : caller] : writeSecurity[caller],
    parameters: [
      ...(action.on === 'record' ? [{ ...idParameter, ...(entity && { schema: toIdSchema(entity) }) }] : []),
      ...(input && isRead ? toParameters(input.schema) : []),
      ...(readsIfMatch ? [ifMatch] : []),
    ],
    body: input && !isRead ? { schema: input.schema, isRequired: true } : undefined,
    responses: [toResponse(success.status, output?.schema, action.mediaType)],
    errors: [...errors, ...errorsOfRule(rule), ...(isRead ? [] : writeErrors)],
  };
  return { route, schemas: { ...input?.schemas, ...output?.schemas } };
}

/** The names of the operations of entities. */
const operationNames: ReadonlySet<string> = new Set([
  ...['list', 'query', 'get', 'create', 'update', 'delete'],
  ...['bulk', 'upsert', 'aggregate', 'export', 'import'],
]);

function toOperationId(owner: string, name: string): string {
  return operationNames.has(name) ? `${owner}.${name}.action` : `${owner}.${name}`;
}

/** Converts a name such as `setRole` or `set-role` to a sentence. */
function toSentence(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[-_]/g, ' ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

function toParameters({ properties, required }: JsonSchema): readonly Parameter[] {
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  return Object.entries((properties ?? {}) as NamedSchemas).map(([name, schema]): Parameter => ({
    name,
    in: 'query',
    ...(needed.has(name) && { required: true }),
    schema,
  }));
}

function toResponse(status: number, output: JsonSchema | undefined, mediaType: string | undefined): RouteResponse {
  const headers = ['Cache-Control'] as const;
  if (status === 204) return { status, description: 'Done.', headers };
  if (mediaType !== undefined) return { status, description: 'The file.', content: { [mediaType]: file }, headers };
  if (output) return { status, description: 'The result.', content: { 'application/json': output }, headers };
  return { status, description: 'The result, whose schema is not declared.', content: { '*/*': null }, headers };
}

const file: JsonSchema = { type: 'string' };
