import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '@x/test-support/browser';
import { lookUp } from '@x/test-support/lookup';
import { installPacked, root } from '@x/test-support/packed';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';

beforeAll(async () => void (await lookUp(inject('registryLookup'), 'No packed packages')), 180_000);

it('runs in a page without a bundler, by the import map of its README', { timeout: 300_000 }, async () => {
  const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8');
  const [, html = ''] = /^```html\n(<script type="importmap">.*?)^```$/ms.exec(readme) ?? [];
  const listed = [...html.matchAll(/"(@x\/client[^"]*)":/g)].map(([, entry]) => entry);
  const imports = listed.map((entry) => `await import('${entry}');`).join('');
  const origin = await serve(
    await installClient(),
    `${html}<script type="module">${imports}document.body.append('All are there.');</script>`,
  );
  // There is no server that the client could ask for a session.
  const browser = await openBrowser({ expecting: /status of 404/ });
  const page = await browser.openTab(`${origin}/`);
  await page.getByText('All are there.').waitFor();
  await expect.poll(() => page.title()).not.toBe('');
});

async function installClient(): Promise<string> {
  const project = mkdtempSync(join(tmpdir(), 'import-map-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'page', private: true, type: 'module' }));
  await installPacked(project, project, ['@x/client']);
  return join(project, 'node_modules/@x/client/dist');
}

/** Serves a page, and the files of the client below `/client`. */
async function serve(client: string, page: string): Promise<string> {
  const http = createServer(({ url = '' }, response) => {
    if (url === '/') return response.setHeader('Content-Type', 'text/html').end(`<body>${page}</body>`);
    const [, file] = /^\/client\/([\w./-]+\.js)$/.exec(url) ?? [];
    if (file === undefined) return response.writeHead(404).end();
    return response.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(client, file)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
