import type { Auth } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import type { DocumentInfo } from '@x/openapi';
import type { Context, Hono } from 'hono';
import { acceptsGzip, type CachedResponse, cacheResponse, sendCached } from './cached-response.ts';

/** What the document describes. */
export interface OpenApiRoutesOptions {
  readonly auth: Auth;
  readonly entities: readonly Entity[];
  readonly services: readonly Service[];
  readonly info: Partial<DocumentInfo>;
}

/**
 * Adds `/openapi.json`, the browsable reference at `/docs`, and what that loads. Everything is generated, and the code
 * for it loaded, by the first request for it, so that it does not slow down the start of a server.
 */
export function addOpenApiRoutes(app: Hono, options: OpenApiRoutesOptions): void {
  const document = once(() => createDocument(options));
  const page = once(createPage);
  const scalar = once(createScalar);

  app.get('/openapi.json', async (c) => sendEncoded(c, await document()));
  app.get('/docs', async (c) => sendCached(c, (await page()).html));
  app.get('/docs/start.js', async (c) => sendCached(c, (await page()).start));
  app.get('/docs/scalar.js', async (c) => sendEncoded(c, await scalar()));
}

/** Caches the result, unless making it failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

async function createDocument({ auth, entities, services, info }: OpenApiRoutesOptions): Promise<EncodedResponses> {
  const { createOpenApiDocument } = await import('@x/openapi');
  const document = createOpenApiDocument({ auth, entities, services, info });
  const body = new TextEncoder().encode(JSON.stringify(document));
  const type = 'application/json; charset=utf-8';
  const plain = await cacheResponse({ body, type, headers: varying });
  return { gzipped: await cacheGzipped(body, type), plain: async () => plain };
}

const javaScript = 'text/javascript; charset=utf-8';

async function createPage(): Promise<{ readonly html: CachedResponse; readonly start: CachedResponse }> {
  const { referencePage, referencePolicy, startScript } = await import('@x/openapi/reference');
  const headers = { 'Content-Security-Policy': referencePolicy };
  return {
    html: await cacheResponse({ body: referencePage, type: 'text/html; charset=utf-8', headers }),
    start: await cacheResponse({ body: startScript, type: javaScript }),
  };
}

/** The uncompressed script is not cached: it is large, and every browser accepts gzip. */
async function createScalar(): Promise<EncodedResponses> {
  const { readScalar } = await import('@x/openapi/reference');
  return {
    gzipped: await cacheGzipped(await readScalar(), javaScript),
    plain: async () => cacheResponse({ body: await readScalar(), type: javaScript, headers: varying }),
  };
}

/** A response in both encodings. */
interface EncodedResponses {
  readonly gzipped: CachedResponse;
  readonly plain: () => Promise<CachedResponse>;
}

const varying = { Vary: 'Accept-Encoding' };

async function cacheGzipped(body: Uint8Array<ArrayBuffer>, type: string): Promise<CachedResponse> {
  const packed = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return cacheResponse({ body: bytes, type, encoding: 'gzip', headers: varying });
}

async function sendEncoded(c: Context, { gzipped, plain }: EncodedResponses): Promise<Response> {
  return sendCached(c, acceptsGzip(c.req.header('Accept-Encoding')) ? gzipped : await plain());
}
