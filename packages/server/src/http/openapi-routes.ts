import type { Auth } from '@x/auth';
import type { Entity, Service } from '@x/entity';
import { compressOnce, hashContent, immutable, serveContent, type StaticContent } from '@x/http';
import type { DocumentInfo } from '@x/openapi';
import type { Handler, Hono } from 'hono';

/** The parts of the server that the document describes. */
interface OpenApiRoutesOptions {
  readonly auth: Auth;
  readonly entities: readonly Entity[];
  readonly services: readonly Service[];
  /** Whether there is a stream of notices. */
  readonly live: boolean;
  readonly info: Partial<DocumentInfo>;
}

/** The paths of the document and of its reference. */
export const openApiPaths: readonly string[] = ['/api/openapi.json', '/api/docs'];

/**
 * Adds `/openapi.json`, the browsable reference at `/docs`, and the scripts of the reference. The first request
 * generates and compresses each, and loads the code for that, so that the start of a server is not slowed down.
 */
export function addOpenApiRoutes(app: Hono, options: OpenApiRoutesOptions): void {
  const document = once(() => createDocument(options));
  const reference = once(createReference);

  app.get('/openapi.json', async (c, next) => (await document())(c, next));
  app.get('/docs', async (c, next) => (await reference()).page(c, next));
  app.get('/docs/:script', async (c, next) => {
    const script = (await reference()).scripts.get(c.req.param('script'));
    return script ? script(c, next) : c.notFound();
  });
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

const revalidated = { 'Cache-Control': 'no-cache' };

async function createDocument({ auth, entities, services, live, info }: OpenApiRoutesOptions): Promise<Handler> {
  const { createOpenApiDocumentInSteps } = await import('@x/openapi');
  const document = JSON.stringify(
    await runSteps(createOpenApiDocumentInSteps({ auth, entities, services, live, info })),
  );
  const type = 'application/json; charset=utf-8';
  return serveContent({ type, headers: revalidated, read: compressOnce(document) });
}

/** Runs a generator, and lets other requests be served between its steps. */
async function runSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The page and its scripts, whose names contain their hash. So browsers request only the page again. */
interface Reference {
  readonly page: Handler;
  readonly scripts: ReadonlyMap<string, Handler>;
}

async function createReference(): Promise<Reference> {
  const { createReferencePage, readScalar, referencePolicy, startScript } = await import('@x/openapi/reference');
  const [scalar, start] = [
    `scalar-${await hashContent(await readScalar('gzip'))}.js`,
    `start-${await hashContent(startScript)}.js`,
  ];
  const page = createReferencePage({ scalar: `docs/${scalar}`, start: `docs/${start}` });
  const codings = { br: once(() => readScalar('br')), gzip: once(() => readScalar('gzip')) };
  return {
    page: serveContent({
      type: 'text/html; charset=utf-8',
      headers: { ...revalidated, 'Content-Security-Policy': referencePolicy },
      read: compressOnce(page),
    }),
    scripts: new Map([
      [scalar, serveScript((coding) => codings[coding]())],
      [start, serveScript(compressOnce(startScript))],
    ]),
  };
}

function serveScript(read: StaticContent['read']): Handler {
  return serveContent({ type: 'text/javascript; charset=utf-8', headers: immutable, read });
}
