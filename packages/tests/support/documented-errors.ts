import type { Auth } from '@x/auth';
import { createOpenApiDocument, type OpenApiDocument } from '@x/openapi';
import { expect } from 'vitest';

/** Expects an error that a route of auth responds with to be among those that the OpenAPI document lists for it. */
export async function expectDocumented(auth: Auth, request: Request, response: Response): Promise<void> {
  if (response.status < 400 || !request.url.includes('/api/auth/')) return;
  const { pathname } = new URL(request.url);
  const documented = findErrors(auth, request.method.toLowerCase(), pathname);
  const [, code] = /"code":"([A-Z_]+)"/.exec(await response.clone().text()) ?? [];
  if (documented && code) expect(documented, `${request.method} ${pathname} responds with ${code}`).toContain(code);
}

/** Returns the codes that the document lists for a route; undefined if there is no such route. */
function findErrors(auth: Auth, method: string, pathname: string): readonly string[] | undefined {
  const { paths } = describe(auth);
  const templates = Object.keys(paths).filter((path) => toPattern(path).test(pathname));
  // A fixed path goes before one with parameters.
  const [found] = templates.toSorted((one, other) => one.split('{').length - other.split('{').length);
  const operation = found === undefined ? undefined : (paths[found] as Readonly<Record<string, Operation>>)[method];
  if (!operation) return undefined;
  return Object.values(operation.responses).flatMap(({ $ref = '' }) => $ref.replace(/^.*\//, '').split('.'));
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** By the path and the names of the routes, which depend on the features that are enabled. */
const documents = new Map<string, OpenApiDocument>();

function describe({ basePath, cookiePrefix, routes }: Auth): OpenApiDocument {
  const names = [basePath, ...routes.map(({ name }) => name)].join();
  const document =
    documents.get(names) ?? createOpenApiDocument({ auth: { basePath, cookiePrefix, routes, schemas: {} } });
  documents.set(names, document);
  return document;
}

/** By the path with its parameters: most tests are answered with many errors. */
const patterns = new Map<string, RegExp>();

function toPattern(path: string): RegExp {
  const pattern = patterns.get(path) ?? new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  patterns.set(path, pattern);
  return pattern;
}
