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
 * Adds `/openapi.json`, the browsable reference at `/docs`, and what that loads. Everything is generated, and the code
 * for it loaded, by the first request for it, so that it does not slow down the start of a server.
 */
export function addOpenApiRoutes(app: Hono, options: OpenApiRoutesOptions): void {
  const document = once(() => createDocument(options));
  const page = once(createPage);
  const scalar = once(createScalar);

  app.get('/openapi.json', async (c) => answerPacked(c, await document()));
  app.get('/docs', async (c) => answerKept(c, (await page()).html));
  app.get('/docs/start.js', async (c) => answerKept(c, (await page()).start));
  app.get('/docs/scalar.js', async (c) => answerPacked(c, await scalar()));
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

async function createDocument({ auth, entities, services, info }: OpenApiRoutesOptions): Promise<Packed> {
  const { createOpenApiDocument } = await import('@x/openapi');
  const document = createOpenApiDocument({ auth, entities, services, info });
  const body = new TextEncoder().encode(JSON.stringify(document));
  const type = 'application/json; charset=utf-8';
  const plain = await keep({ body, type, headers: varying });
  return { gzipped: await keepGzipped(body, type), plain: async () => plain };
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

/** The uncompressed script is not kept: it is large, and every browser accepts gzip. */
async function createScalar(): Promise<Packed> {
  const { readScalar } = await import('@x/openapi/reference');
  return {
    gzipped: await keepGzipped(await readScalar(), javaScript),
    plain: async () => keep({ body: await readScalar(), type: javaScript, headers: varying }),
  };
}

/** A response in both encodings. */
interface Packed {
  readonly gzipped: Kept;
  readonly plain: () => Promise<Kept>;
}

const varying = { Vary: 'Accept-Encoding' };

async function keepGzipped(body: Uint8Array<ArrayBuffer>, type: string): Promise<Kept> {
  const packed = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return keep({ body: bytes, type, encoding: 'gzip', headers: varying });
}

async function answerPacked(c: Context, { gzipped, plain }: Packed): Promise<Response> {
  return answerKept(c, acceptsGzip(c.req.header('Accept-Encoding')) ? gzipped : await plain());
}
