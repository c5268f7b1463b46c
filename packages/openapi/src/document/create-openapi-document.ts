import type { AuthDescription } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import { anyError, anyErrorName, errorSchemas, toErrorAnswer, toAnswerName } from '../answer/error-answers.ts';
import { answerHeaders } from '../answer/headers.ts';
import { describeService } from '../action/describe-service.ts';
import { describeAuthRoutes } from '../auth/auth-routes.ts';
import { describeEntities } from '../entity/entity-routes.ts';
import { serverRoutes } from '../health/server-routes.ts';
import type { Answer, DocumentInfo, OpenApiDocument, Operation } from './document.ts';
import type { Route } from './route.ts';
import { securitySchemes, sharedParameters } from './security.ts';
import { errorsOf, toOperation } from './to-operation.ts';
import { usedComponents } from './used-components.ts';

/** The options of a document. */
export interface DocumentOptions {
  readonly entities?: readonly Entity[];
  readonly services?: readonly Service[];
  /** The result of `describeAuth` of `@x/auth`, or the auth itself. Default: no auth routes. */
  readonly auth?: AuthDescription;
  readonly info?: Partial<DocumentInfo>;
  /** The URL of the API. Default `/`: wherever the document was loaded from. */
  readonly serverUrl?: string;
}

/**
 * Creates the OpenAPI 3.1 document of an app from its declarations: entities, services and auth. No server is needed.
 * It leaves out what callers can't reach, such as hidden fields and operations whose rule is `false`.
 *
 * @example
 * ```ts
 * const document = createOpenApiDocument({ entities: [notes], auth: describeAuth({ mfa: { enabled: false } }) });
 * ```
 */
export function createOpenApiDocument(options: DocumentOptions): OpenApiDocument {
  const { entities = [], services = [], auth, info = {}, serverUrl = '/' } = options;
  const groups = [
    ...(auth ? [describeAuthRoutes(auth)] : []),
    ...describeEntities(entities),
    ...services.map(describeService),
    serverRoutes,
  ];
  const routes = groups.flatMap((group) => group.routes);
  const schemas = Object.assign({}, errorSchemas, ...groups.map((group) => group.schemas));
  const paths = toPaths(routes.map((route) => [route, toOperation(route, schemas)]));
  return {
    openapi: '3.1.1',
    info: { title: 'API', version: '1.0.0', description: introduction, license: noLicense, ...info },
    servers: [{ url: serverUrl }],
    tags: groups.flatMap(({ tags }) => tags),
    paths,
    components: usedComponents(paths, {
      schemas,
      responses: { [anyErrorName]: anyError, ...toErrorAnswers(routes) },
      parameters: sharedParameters,
      headers: answerHeaders,
      securitySchemes,
    }),
  };
}

/** The default, if the app does not state a license. */
const noLicense = { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' };

const introduction = `
Bodies are JSON in UTF-8. Times are ISO 8601 in UTC with milliseconds. Every error has the same shape: switch on
\`error.code\`. \`HEAD\` mirrors \`GET\`. A request that writes must carry \`X-APP-Request: 1\` and the
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

function toErrorAnswers(routes: readonly Route[]): Readonly<Record<string, Answer>> {
  const sets = routes.flatMap((route) => [...errorsOf(route).values()]);
  return Object.fromEntries(sets.map((codes) => [toAnswerName(codes), toErrorAnswer(codes)]));
}
