import type { Auth } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import { matchesEntityTag, type ResponseHeaders } from '@x/http';
import type { DocumentInfo } from '@x/openapi';
import type { Context, Hono } from 'hono';

/** What the document describes. */
interface OpenApiRoutesOptions {
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

/** A response that is the same for everybody until the server stops, and is generated once. */
interface CachedResponse {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Headers about the body. */
  readonly bodyHeaders: ResponseHeaders;
  /** Headers that also belong to a response without the body. */
  readonly headers: ResponseHeaders;
  readonly tag: string;
}

/** The content to cache. */
interface CachedContent {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly encoding?: 'gzip';
  readonly headers?: ResponseHeaders;
}

/** Caches a response, with the hash of its body as `ETag`. */
async function cacheResponse({ body: content, type, encoding, headers }: CachedContent): Promise<CachedResponse> {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const tag = `"${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
  return {
    body,
    tag,
    bodyHeaders: { 'Content-Type': type, ...(encoding && { 'Content-Encoding': encoding }) },
    headers: { ...headers, 'Cache-Control': 'no-cache', ETag: tag },
  };
}

/** Responds with the cached content, or with 304 if the client has it (RFC 9110 section 13.1.2). */
function sendCached(c: Context, { body, bodyHeaders, headers, tag }: CachedResponse): Response {
  return matchesEntityTag(c.req.header('If-None-Match'), tag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, ...bodyHeaders } });
}

/** Says whether a client accepts gzip: by name or by `*`, with a weight above 0 (RFC 9110 section 12.5.3). */
function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  return weights.get('gzip') ?? weights.get('*') ?? false;
}
