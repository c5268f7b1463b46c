import type { Auth } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import type { DocumentInfo } from '@x/openapi';
import type { Context, Hono } from 'hono';
import { acceptsGzip } from './accepts-gzip.ts';
import { answerKept, type Kept, keep } from './kept-answer.ts';

/** What is described. */
export interface OpenApiRoutesOptions {
  readonly auth: Auth;
  readonly entities: readonly Entity[];
  readonly services: readonly Service[];
  readonly info: Partial<DocumentInfo>;
}

/**
 * Adds `/openapi.json`, the browsable reference at `/docs`, and what that loads. All of it is made by the first request that
 * asks for it, and so is the code loaded that makes it: a server starts no later for it.
 */
export function addOpenApiRoutes(app: Hono, options: OpenApiRoutesOptions): void {
  const document = once(() => createDocument(options));
  const page = once(createPage);
  const scalar = once(createScalar);

  app.get('/openapi.json', async (c) => answerKept(c, await document()));
  app.get('/docs', async (c) => answerKept(c, (await page()).html));
  app.get('/docs/start.js', async (c) => answerKept(c, (await page()).start));
  app.get('/docs/scalar.js', async (c) => answerScalar(c, await scalar()));
}

/** Remembers what was made, unless making it failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

async function createDocument({ auth, entities, services, info }: OpenApiRoutesOptions): Promise<Kept> {
  const { createOpenApiDocument } = await import('@x/openapi');
  const document = createOpenApiDocument({ auth, entities, services, info });
  return keep({ body: JSON.stringify(document), type: 'application/json; charset=utf-8' });
}

const javaScript = 'text/javascript; charset=utf-8';

async function createPage(): Promise<{ readonly html: Kept; readonly start: Kept }> {
  const { referencePage, referencePolicy, startScript } = await import('@x/openapi/reference');
  const headers = { 'Content-Security-Policy': referencePolicy };
  return {
    html: await keep({ body: referencePage, type: 'text/html; charset=utf-8', headers }),
    start: await keep({ body: startScript, type: javaScript }),
  };
}

interface Scalar {
  readonly gzipped: Kept;
  readonly readPlain: () => Promise<Uint8Array<ArrayBuffer>>;
}

async function createScalar(): Promise<Scalar> {
  const { readScalar } = await import('@x/openapi/reference');
  const { gzipped, readPlain } = await readScalar();
  return { gzipped: await keep({ body: gzipped, type: javaScript, encoding: 'gzip', headers: varying }), readPlain };
}

const varying = { Vary: 'Accept-Encoding' };

async function answerScalar(c: Context, { gzipped, readPlain }: Scalar): Promise<Response> {
  if (acceptsGzip(c.req.header('Accept-Encoding'))) return answerKept(c, gzipped);
  return new Response(await readPlain(), { headers: { ...varying, 'Content-Type': javaScript } });
}
