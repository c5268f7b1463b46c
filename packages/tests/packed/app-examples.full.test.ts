import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openBrowser } from '@x/test-support/browser';
import { lookUp } from '@x/test-support/lookup';
import { compile, root, runCommand } from '@x/test-support/packed';
import { beforeAll, expect, inject, it } from 'vitest';
import { TestClient } from '../support/test-client.ts';
import { checkTypes, openExample, whileRunning } from './example-program.ts';

// The whole apps of examples/, with the packed packages.

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const grace = { email: 'grace@example.com', password: 'correct horse battery' };

beforeAll(async () => void (await lookUp(inject('examplesLookup'), 'No examples')), 240_000);

/** The examples whose programs Node runs as they are, and whose declarations have no errors. */
const programs = ['documents', 'existing-database', 'express', 'fastify', 'hono', 'kysely', 'node', 'own-store'];

it(`type-checks ${programs.join(', ')}, and the declarations that they import`, { timeout: 300_000 }, async () => {
  const installed = await lookUp(inject('examplesLookup'), 'No examples');
  // Together, since most of the time goes into what all of them import; from copies, since tests change the others.
  const folder = mkdtempSync(join(tmpdir(), 'example-types-'));
  for (const name of programs) {
    const filter = (path: string): boolean => !path.endsWith('node_modules');
    cpSync(join(root, 'examples', name), join(folder, name), { recursive: true, filter });
    symlinkSync(join(installed, name, 'node_modules'), join(folder, name, 'node_modules'));
  }
  const options = { typeRoots: [join(installed, 'node/node_modules/@types')] };
  await expect(checkTypes(folder, options, ['*/*.ts'])).resolves.toBeUndefined();
});

it('keeps notes in a page that Vite built, in every tab', { timeout: 300_000 }, async () => {
  const example = await openExample('vite-react');
  await compile(example.folder);
  await runCommand(example.folder, 'npm', ['run', 'build']);
  expectNoServerIn(join(example.folder, 'dist/assets'));
  await whileRunning(example, ['server.ts'], async (stranger, origin) => {
    const device = await openBrowser({ expecting: /status of 40[01]/ });
    const page = await device.openTab(`${origin}/`);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill('short');
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/at least 8/);

    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('Hello Ada').waitFor();
    for (const title of ['First', 'Second']) {
      await page.getByLabel('Title').fill(title);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('listitem').getByText(title).waitFor();
    }
    await page.getByLabel('Title').fill('x'.repeat(81));
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/80/);

    const other = await device.openTab(`${origin}/`);
    await other.getByRole('button', { name: 'Delete First' }).click();
    await expect.poll(() => other.getByRole('listitem').allTextContents()).toEqual(['Second Delete Second']);

    expect((await stranger.post('/api/auth/signup', { ...grace, name: 'Grace' })).status).toBe(201);
    expect((await stranger.get('/api/notes')).body.items).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Sign in' }).waitFor();

    // As if the app had not asked for names when Ada signed up.
    forgetNames(join(example.folder, 'app.db'));
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Your name').fill('x'.repeat(81));
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/80/);
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Hello Ada Lovelace').waitFor();
    // Before the server: a request that it leaves without an answer would be a line in the console.
    await device.context.close();
  });
});

function forgetNames(path: string): void {
  // The server may be writing.
  const database = new DatabaseSync(path, { timeout: 30_000 });
  database.exec("UPDATE auth_users SET fields = '{}'");
  database.close();
}

/** Checks that the bundle of a page has nothing that only a server needs, and is as small as React lets it be. */
function expectNoServerIn(folder: string): void {
  const code = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const onServers = ['ownerId', 'ZodError', 'argon2', 'better-sqlite3', 'node:crypto'];
  expect(onServers.filter((text) => code.includes(text))).toEqual([]);
  expect(code.length).toBeLessThan(240_000);
}

it('tests rate limits of its own, and counts with them', { timeout: 300_000 }, async () => {
  const example = await openExample('own-store');
  const report = await runCommand(example.folder, 'npm', ['test']);
  expect(Number(/Tests +(\d+) passed/.exec(report)?.[1])).toBeGreaterThan(20);
  await whileRunning(example, ['main.ts'], async (browser) => {
    expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
    const attempts = [];
    while (attempts.length < 6)
      attempts.push(await browser.post('/api/auth/signin', { ...ada, password: 'wrong one' }));
    expect(attempts.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(attempts[5]?.headers.get('retry-after')).toMatch(/^\d+$/);
  });
  // The windows were in memory.
  await whileRunning(example, ['main.ts'], async (browser) => {
    expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
  });
});

it('shares documents, within a plan', { timeout: 300_000 }, async () => {
  const example = await openExample('documents');
  await whileRunning(example, ['main.ts'], async (browser, origin) => {
    const printed = await runCommand(example.folder, 'node', ['tour.ts']);
    expect(printed.replace(/resetsAt: '.*'/, 'resetsAt: …')).toMatchInlineSnapshot(`
      "usage: [
        {
          key: 'documents',
          max: 3,
          consumed: 3,
          remaining: 0,
          resetsAt: …
        }
      ]
      a fourth document: FORBIDDEN limit_reached ""
      sharing on the free plan: FORBIDDEN plan_required ["team"]
      Grace reads First - may write: false
      Grace reads Second - may write: false
      Grace reads Third - may write: false
      Grace writes: FORBIDDEN role_required ""
      Grace reads 3 documents
      after a move: 2
      a folder in itself: CONFLICT ""
      "
    `);

    const other = new TestClient(origin);
    await browser.post('/api/auth/signup', ada);
    const { id: userId } = (await other.post('/api/auth/signup', grace)).body.user;
    const organization = (await browser.post('/api/organizations', { name: 'Engines' })).body;
    const organizationId = organization.id;
    const folder = (await browser.post('/api/folders', { organizationId, name: 'Notes' })).body;
    const document = (await browser.post('/api/documents', { folderId: folder.id, title: 'First' })).body;
    // A resource that its owner has not shared does not exist for others.
    for (const path of [`organizations/${organizationId}`, `folders/${folder.id}`, `documents/${document.id}`]) {
      expect([(await browser.get(`/api/${path}`)).status, (await other.get(`/api/${path}`)).status]).toEqual([
        200, 404,
      ]);
    }
    const plan = `/api/organizations/${organizationId}/plan`;
    expect((await other.get(plan)).status).toBe(404);
    expect((await other.post(plan, { plan: 'team' })).status).toBe(404);
    expect((await other.post('/api/documents', { folderId: folder.id, title: 'Mine' })).status).toBe(403);
    expect((await other.get('/api/documents')).body.items).toEqual([]);

    await browser.post(plan, { plan: 'team' });
    const share = `/api/folders/${folder.id}/share`;
    expect((await browser.post(share, { userId: 'nobody', role: 'viewer' })).status).toBe(404);
    expect((await browser.post(share, { userId, role: 'viewer' })).status, 'she has not joined').toBe(404);
    const { token } = (await browser.post(`/api/organizations/${organizationId}/create-link`, { role: 'member' })).body;
    expect((await other.post('/api/invitations/join', { token })).status).toBe(200);
    expect((await other.get('/api/documents')).body.items).toEqual([]);
    expect((await browser.post(share, { userId, role: 'owner' })).status).toBe(400);
    expect((await browser.post(share, { userId, role: 'viewer' })).status).toBe(200);
    expect((await other.get('/api/documents')).body.items).toMatchObject([{ title: 'First' }]);
    // A viewer may not hand the folder on, nor make herself its editor.
    expect((await other.post(share, { userId, role: 'editor' })).status).toBe(403);
    expect((await other.send(`/api/documents/${document.id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await new TestClient(origin).get('/api/documents')).status).toBe(401);
  });
});

it('serves the tables of a shop that were there before', { timeout: 300_000 }, async () => {
  const example = await openExample('existing-database');
  await runCommand(example.folder, 'node', ['make-database.ts']);
  await whileRunning(example, ['main.ts'], async (browser, origin) => {
    const other = new TestClient(origin);
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signup', grace);
    expect((await browser.get('/api/customers')).body.items).toEqual([]);
    expect((await browser.get('/api/customers/1')).status).toBe(404);

    const customer = await browser.post('/api/customers', { name: 'Ada', email: ada.email });
    expect([customer.status, customer.body]).toMatchObject([201, { id: '3', credit: '0.00' }]);
    expect((await other.post('/api/customers', { name: 'Eve', email: ada.email })).status).toBe(409);
    const order = { id: '2026-1', customerId: '3', total: '19.9' };
    const placed = await browser.post('/api/orders', order);
    expect([placed.status, placed.headers.get('etag'), placed.body]).toMatchObject([201, '"1"', { total: '19.90' }]);
    expect((await browser.post('/api/orders', { ...order, id: '1843-1' })).status).toBe(409);
    expect((await browser.post('/api/orders', { ...order, id: '2026-2', customerId: '1' })).status).toBe(409);

    const { body } = await browser.get('/api/orders?include=customer&orderBy=customer.name');
    expect(body.items).toMatchObject([{ id: '2026-1', customerId: '3', paid: false, customer: { name: 'Ada' } }]);
    for (const path of ['/api/customers/3', '/api/orders/2026-1']) expect((await other.get(path)).status).toBe(404);
    expect((await browser.send('/api/customers/3', { method: 'DELETE' })).status).toBe(409);
  });
});
