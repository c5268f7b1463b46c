import type { CompiledAction, Service } from '@x/entity';
import type { ErrorCode } from '@x/errors';
import type { Method, Parameter } from '../document/document.ts';
import {
  bodyErrors,
  idParameter,
  readSecurity,
  type Route,
  type RouteGroup,
  type RouteResponse,
  writeSecurity,
} from '../document/route.ts';
import { type JsonSchema, type NamedSchemas, toJsonSchema } from '../schema/json-schema.ts';
import { toSchemaName } from './record-schemas.ts';
import { errorsOf, isForAll } from './rule-errors.ts';

/** Routes, and the schemas that they refer to. */
interface DescribedActions {
  readonly routes: readonly Route[];
  readonly schemas: NamedSchemas;
}

/** Describes the routes of actions. */
export function describeActions(actions: Iterable<CompiledAction>): DescribedActions {
  const described = [...actions].map(describeAction);
  return {
    routes: described.map(({ route }) => route),
    schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)) as NamedSchemas,
  };
}

function describeAction({ owner, name, path, action, rule }: CompiledAction): {
  readonly route: Route;
  readonly schemas: NamedSchemas;
} {
  const prefix = toSchemaName(owner, `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll(/\W/g, '_')}`);
  const input = action.input && toJsonSchema(action.input, { io: 'input', prefix: `${prefix}Input` });
  const output = action.output && toJsonSchema(action.output, { io: 'output', prefix: `${prefix}Result` });
  const isRead = action.method === 'GET';
  const caller = rule.allowsAnonymous ? 'visitor' : 'user';
  const route: Route = {
    operationId: toOperationId(owner, name),
    tag: owner,
    method: action.method.toLowerCase() as Method,
    path: `/api/${owner}/${action.on === 'record' ? '{id}/' : ''}${path}`,
    summary: action.summary ?? toSentence(name),
    security: isRead ? readSecurity[isForAll(rule) ? 'anyone' : caller] : writeSecurity[caller],
    parameters: [
      ...(action.on === 'record' ? [idParameter] : []),
      ...(input && isRead ? toParameters(input.schema) : []),
    ],
    body: input && !isRead ? { schema: input.schema, isRequired: true } : undefined,
    responses: [toResponse(action.status, output?.schema)],
    errors: toErrors({ action, rule }),
  };
  return { route, schemas: { ...input?.schemas, ...output?.schemas } };
}

/** The names of the operations of entities. */
const operationNames: ReadonlySet<string> = new Set(['list', 'query', 'get', 'create', 'update', 'delete', 'bulk']);

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

function toResponse(status: number, output: JsonSchema | undefined): RouteResponse {
  const headers = ['Cache-Control'] as const;
  if (status === 204) return { status, description: 'Done.', headers };
  const content = output ? { 'application/json': output } : { '*/*': null };
  return {
    status,
    description: output ? 'The result.' : 'The result, whose schema is not declared.',
    content,
    headers,
  };
}

function toErrors({ action, rule }: Pick<CompiledAction, 'action' | 'rule'>): readonly ErrorCode[] {
  const { method, on, input, rateLimit, errors } = action;
  return [
    ...errors,
    ...errorsOf(rule),
    ...(method === 'GET' && !input ? (['INVALID_QUERY'] as const) : (['VALIDATION_FAILED'] as const)),
    ...(method === 'GET' ? [] : bodyErrors),
    ...(on === 'record' ? (['NOT_FOUND'] as const) : []),
    ...(rateLimit ? (['RATE_LIMITED'] as const) : []),
  ];
}

/** Describes the routes of a service. */
export function describeService({ name, compiledActions }: Service): RouteGroup {
  return { tags: [{ name, description: `Actions of \`${name}\`.` }], ...describeActions(compiledActions.values()) };
}
