import type { AuthDescription } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import { refuseUnknownOptions } from '@x/errors';
import { describeAuthRoutes } from './describe-auth.ts';
import { liveRoutes } from './describe-live.ts';
import { serverRoutes } from './describe-server.ts';
import type { DocumentInfo, OpenApiDocument, Operation, ResponseObject } from './document/document.ts';
import {
  anyError,
  anyErrorName,
  errorSchemas,
  responseHeaders,
  toErrorName,
  toErrorResponse,
} from './document/responses.ts';
import { type Route, type RouteGroup, sharedParameters, toSecuritySchemes } from './document/route.ts';
import { errorsByStatus, toOperation } from './document/to-operation.ts';
import { describeService } from './entity/describe-actions.ts';
import { describeEntities } from './entity/describe-entities.ts';
import { createDistinctNames } from './schema/distinct-names.ts';
import { mapReferences, referredName, schemaRef } from './schema/json-schema.ts';

/** The options of a document. */
export interface DocumentOptions {
  readonly entities?: readonly Entity[];
  readonly services?: readonly Service[];
  /** The result of `describeAuth` of `@x/auth`, or the auth itself. Default: no auth routes. */
  readonly auth?: AuthDescription;
  /** Whether the server notifies clients of changes. Default: no. */
  readonly live?: boolean;
  readonly info?: Partial<DocumentInfo>;
  /** The URL of the API. Default `/`: wherever the document was loaded from. */
  readonly serverUrl?: string;
}

/**
 * Creates the OpenAPI 3.1 document of an app from its declarations: entities, services and auth. No server is needed.
 * It leaves out parts that callers can't reach, such as hidden fields and operations whose rule is `false`.
 *
 * @throws ConfigurationError naming every unknown option
 * @example
 * ```ts
 * const document = createOpenApiDocument({ entities: [notes], auth: describeAuth({ mfa: { enabled: false } }) });
 * ```
 */
export function createOpenApiDocument(options: DocumentOptions): OpenApiDocument {
  const steps = createOpenApiDocumentInSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Creates the same document in steps of at most some 20 ms, between which a server can respond to others: for an app of
 * a dozen entities they take 60 ms together.
 *
 * @throws ConfigurationError naming every unknown option
 */
export function* createOpenApiDocumentInSteps(options: DocumentOptions): Generator<undefined, OpenApiDocument> {
  const { entities, services, auth, live, info = {}, serverUrl = '/' } = options;
  refuseUnknownOptions(options, { entities, services, auth, live, info, serverUrl });
  const groups: RouteGroup[] = [];
  for (const group of describeGroups(options)) {
    groups.push(group);
    yield;
  }
  const schemas = Object.assign({}, errorSchemas, ...groups.map((group) => group.schemas));
  const operations: (readonly [Route, Operation])[] = [];
  const toDistinctId = createDistinctNames();
  for (const { routes } of groups) {
    for (const route of routes) {
      operations.push([route, toOperation({ ...route, operationId: toDistinctId(route.operationId) }, schemas)]);
    }
    yield;
  }
  const paths = toPaths(operations);
  return withDistinctSchemas({
    openapi: '3.1.1',
    info: { title: 'API', version: '1.0.0', description: introduction, license: noLicense, ...info },
    servers: [{ url: serverUrl }],
    tags: groups.flatMap(({ tags }) => tags),
    paths,
    components: usedComponents(paths, {
      schemas,
      responses: { [anyErrorName]: anyError, ...toErrorResponses(operations.map(([route]) => route)) },
      parameters: sharedParameters,
      headers: responseHeaders,
      securitySchemes: toSecuritySchemes(auth?.cookiePrefix ?? 'app'),
    }),
  });
}

function* describeGroups({ entities = [], services = [], auth, live }: DocumentOptions): Generator<RouteGroup> {
  if (auth) yield describeAuthRoutes(auth);
  yield* describeEntities(entities);
  for (const service of services) yield describeService(service);
  if (live) yield liveRoutes;
  yield serverRoutes;
}

/** The default, if the app does not state a license. */
const noLicense = { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' };

const introduction = `
Bodies are JSON in UTF-8. Times are ISO 8601 in UTC with milliseconds. Every error has the same shape: switch on
\`error.code\`. \`HEAD\` mirrors \`GET\`, unless that has effects. A request that writes must carry \`X-APP-Request: 1\` and the
\`Origin\` of a page of the app; a request with a bearer token and no cookie of the app needs neither.
`.trim();

function toPaths(operations: readonly (readonly [Route, Operation])[]): OpenApiDocument['paths'] {
  const byPath = Map.groupBy(operations, ([{ path }]) => path);
  return Object.fromEntries(
    [...byPath].map(([path, those]) => [
      path,
      Object.fromEntries(those.map(([{ method }, operation]) => [method, operation])),
    ]),
  );
}

function toErrorResponses(routes: readonly Route[]): Readonly<Record<string, ResponseObject>> {
  const sets = routes.flatMap((route) => [...errorsByStatus(route).values()]);
  return Object.fromEntries(sets.map((codes) => [toErrorName(codes), toErrorResponse(codes)]));
}

type Components = OpenApiDocument['components'];

/**
 * Picks the components that the paths of a document refer to, directly or indirectly. Security schemes are not referred
 * to.
 */
function usedComponents(paths: OpenApiDocument['paths'], components: Components): Components {
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') follow(member);
      else if (!used.has(member)) {
        used.add(member);
        follow(componentAt(components, member));
      }
    }
  };
  follow(paths);
  const pick = <T>(kind: keyof Components, all: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${prefix}${kind}/${name}`)));
  return {
    schemas: pick('schemas', components.schemas),
    responses: pick('responses', components.responses),
    parameters: pick('parameters', components.parameters),
    headers: pick('headers', components.headers),
    securitySchemes: components.securitySchemes,
  };
}

const prefix = '#/components/';

function componentAt(components: Components, reference: string): unknown {
  const [kind = '', name = ''] = reference.slice(prefix.length).split('/');
  const all: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { ...components };
  return all[kind]?.[name];
}

/** Renames schemas whose names differ from another one by nothing that generators of clients keep. */
function withDistinctSchemas(document: OpenApiDocument): OpenApiDocument {
  const toDistinct = createDistinctNames();
  const { schemas } = document.components;
  const renamed = new Map(Object.keys(schemas).map((name) => [name, toDistinct(name)]));
  if ([...renamed].every(([name, distinct]) => name === distinct)) return document;
  const rename = (name: string): string => renamed.get(name) ?? name;
  const named = Object.entries(schemas).map(([name, schema]) => [rename(name), schema] as const);
  const components = { ...document.components, schemas: Object.fromEntries(named) };
  return mapReferences({ ...document, components }, ($ref) => {
    const name = referredName({ $ref });
    return name === undefined ? $ref : String(schemaRef(rename(name))['$ref']);
  });
}
