import { build } from 'esbuild';
import type { BrowserContext } from 'playwright-core';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where {@link serveClientPage} has the page. */
export const clientPage = '/test/page';

/** Where it has the page with all hooks in it. */
export const hooksPage = '/test/hooks';

/**
 * Serves pages with the client in them, and a worker, as if they were the demo's; bundled once for all tests of a file.
 */
export async function serveClientPage(context: BrowserContext, origin: string): Promise<void> {
  for (const page of [clientPage, hooksPage]) {
    const body = `<!doctype html><link rel="icon" href="data:,"><body><script src="${page}.js"></script>`;
    await context.route(origin + page, (route) => route.fulfill({ contentType: 'text/html', body }));
  }
  for (const { path, text } of await (bundles ??= bundle())) {
    const address = `${origin}/test/${basename(path)}`;
    await context.route(address, (route) => route.fulfill({ contentType: 'text/javascript', body: text }));
  }
}

let bundles: Promise<readonly { readonly path: string; readonly text: string }[]> | undefined;

async function bundle(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const { outputFiles } = await build({
    entryPoints: ['page.ts', 'hooks.ts', 'worker.ts'].map((name) =>
      fileURLToPath(new URL(`../client/${name}`, import.meta.url)),
    ),
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2024',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles;
}
