import { compressOnce, immutable, serveContent, type StaticContent } from '@x/http';
import type { Context, Hono } from 'hono';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Logger } from 'pino';
import { paths } from '../page/navigation/paths.ts';
import type { Env } from './env.ts';

/** Serves the page if it was built; otherwise the demo is only its API, and says so in the log. */
export async function servePage(app: Hono, { env, log }: { readonly env: Env; readonly log: Logger }): Promise<void> {
  const page = await readPage(env.pageFolder);
  if (!page) return log.warn('the page is not built, so / answers 404; npm start builds it');
  addPageRoutes(app, { ...page, html: page.html.replace(noFeatures, `name="features" content="${toFeatures(env)}"`) });
}

const noFeatures = 'name="features" content=""';

/** Lists the enabled features for the page. */
function toFeatures({ production, seed, mfa, emailVerification, passwordReset }: Env): string {
  const features = { outbox: !production, seeded: seed, mfa, emailVerification, passwordReset };
  return Object.entries(features)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(' ');
}

/** The built page, in memory. */
interface BuiltPage {
  readonly html: string;
  /** By name, which changes with the content. */
  readonly assets: ReadonlyMap<string, StaticContent>;
}

/** Reads the output of `vite build` from a folder; null if there is none. */
async function readPage(folder: string): Promise<BuiltPage | null> {
  try {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const files = await readdir(join(folder, 'assets'));
    const names = files.filter((file) => !/\.(br|gz)$/.test(file));
    const assets = await Promise.all(names.map(async (name) => [name, await readAsset(folder, name)] as const));
    return { html, assets: new Map(assets) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Reads a file in the codings that the build compressed it with. */
async function readAsset(folder: string, name: string): Promise<StaticContent> {
  const path = join(folder, 'assets', name);
  const [br, gzip] = await Promise.all([readFile(`${path}.br`), readFile(`${path}.gz`)]);
  const codings = { br: new Uint8Array(br), gzip: new Uint8Array(gzip) };
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    headers: immutable,
    read: (coding) => codings[coding],
  };
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Adds the routes of the page and of its files, each by its own path: no path of a request ever becomes a path of the
 * file system. Where nothing else answers, browsers get the page, with status 404.
 */
function addPageRoutes(app: Hono, { html, assets }: BuiltPage): void {
  const sendPage = serveContent({
    type: 'text/html; charset=utf-8',
    headers: pageHeaders,
    read: compressOnce(html),
  });
  for (const path of Object.values(paths)) app.get(path, sendPage);
  for (const [name, asset] of assets) app.get(`/assets/${name}`, serveContent(asset));
  app.use(`/:page{${besidesPage}.*}`, async (c, next) => {
    await next();
    if (c.res.status !== 404 || !wantsPage(c)) return;
    const page = await sendPage(c);
    // Otherwise the headers of the response before would be added to those of the page.
    c.res = undefined;
    c.res = toNotFound(page);
  });
}

/** No page is missing there. A middleware on these paths would have to be awaited by every request. */
const besidesPage = '(?!api/|assets/|dev/)';

/** Whether a browser navigates to a missing page, rather than a program requests it. */
function wantsPage({ req }: Context): boolean {
  const isReading = req.method === 'GET' || req.method === 'HEAD';
  return isReading && /\btext\/html\b/.test(req.header('accept') ?? '');
}

/** The page, which says that there is nothing at the address. */
function toNotFound(page: Response): Response {
  return page.status === 200 ? new Response(page.body, { status: 404, headers: page.headers }) : page;
}

/** The page may only load files and data from its own origin, and nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const pageHeaders = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;
