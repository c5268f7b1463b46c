import { build } from 'esbuild';
import type { BrowserContext } from 'playwright-core';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where {@link serveClientPage} has the page. */
export const clientPage = '/test/page';

/** Serves a page with the client in it, and a worker, as if they were the demo's; bundled once for all tests of a file. */
export async function serveClientPage(context: BrowserContext, origin: string): Promise<void> {
  const html = '<!doctype html><link rel="icon" href="data:,"><body><script src="/test/page.js"></script>';
  await context.route(origin + clientPage, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  for (const { path, text } of await (bundles ??= bundle())) {
    const address = `${origin}/test/${basename(path)}`;
    await context.route(address, (route) => route.fulfill({ contentType: 'text/javascript', body: text }));
  }
}

let bundles: Promise<readonly { readonly path: string; readonly text: string }[]> | undefined;

async function bundle(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const { outputFiles } = await build({
    entryPoints: ['page.ts', 'worker.ts'].map((name) => fileURLToPath(new URL(`../client/${name}`, import.meta.url))),
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
