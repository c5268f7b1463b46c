import { expect } from 'vitest';
import { newAccount } from './accounts.ts';
import { type Answer, Browser } from './browser.ts';
import { totpCode } from './totp-code.ts';

/** Walks through every entity of a development demo, over HTTP, as two people would who don't know each other. */
export async function walkThroughRecords(url: string): Promise<void> {
  const [ada, bob] = [await signUp(url), await signUp(url)];
  await keepNotesApart(ada, bob);
  await keepTenantsApart(ada, bob);
  await readAnnouncements(ada, new Browser(url));
  await openVault(ada, bob);
}

async function signUp(url: string): Promise<Browser> {
  const browser = new Browser(url);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  return browser;
}

async function keepNotesApart(ada: Browser, bob: Browser): Promise<void> {
  const created = await ada.post('/api/notes', { title: 'First', body: 'x' });
  expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'private, no-store']);
  const path = created.headers.get('location') ?? '';
  const missing = '/api/notes/00000000-0000-4000-8000-000000000000';
  const patch = { method: 'PATCH', body: { pinned: true } };
  expect((await bob.send(path, patch)).text).toBe((await bob.send(missing, patch)).text);
  expect((await bob.delete(path)).status).toBe(404);
  expect((await bob.get('/api/notes')).body.items).toEqual([]);
  const changed = await ada.send(path, { ...patch, headers: { 'if-match': '"1"' } });
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
  expect((await ada.send(path, { ...patch, headers: { 'if-match': '"1"' } })).status).toBe(412);
  const bulk = {
    create: [
      { title: 'a', body: '' },
      { title: 'b', body: '' },
    ],
    delete: [created.body.id],
  };
  expect((await ada.post('/api/notes/bulk', bulk)).status).toBe(200);
  const listed = await ada.get('/api/notes?orderBy=title:desc&select=title&count=true');
  expect(JSON.parse(listed.text)).toEqual({
    items: [{ title: 'b' }, { title: 'a' }],
    nextCursor: null,
    hasNextPage: false,
    total: 2,
  });
}

async function keepTenantsApart(ada: Browser, bob: Browser): Promise<void> {
  const { id } = (await ada.post('/api/documents', { title: 'x', body: '', shared: true })).body;
  expect((await ada.get(`/api/documents/${id}`)).status).toBe(200);
  expect((await bob.get(`/api/documents/${id}`)).status).toBe(404);
  expect((await bob.get('/api/documents')).body.items).toEqual([]);
}

async function readAnnouncements(ada: Browser, anonymous: Browser): Promise<void> {
  const listed = await anonymous.get('/api/announcements');
  expect([listed.status, listed.text.includes('internalNote')]).toEqual([200, false]);
  expect(codeOf(await anonymous.post('/api/announcements', { title: 'x', body: '' }))).toBe('UNAUTHENTICATED');
  expect(codeOf(await ada.post('/api/announcements', { title: 'x', body: '' }))).toBe('FORBIDDEN');
}

async function openVault(ada: Browser, bob: Browser): Promise<void> {
  expect(codeOf(await ada.get('/api/vault'))).toBe('STEP_UP_REQUIRED');
  expect(codeOf(await bob.post('/api/vault', { label: 'x', secret: 'y' }))).toBe('STEP_UP_REQUIRED');
  const { secret } = (await ada.post('/api/auth/mfa/setup')).body;
  const now = Date.now();
  await ada.post('/api/auth/mfa/verify-setup', { code: totpCode(secret, new Date(now)) });
  const steppedUp = await ada.post('/api/auth/mfa/step-up', { code: totpCode(secret, new Date(now + 30_000)) });
  expect(steppedUp.status, steppedUp.text).toBe(200);
  expect((await ada.post('/api/vault', { label: 'x', secret: 'y' })).status).toBe(201);
  expect((await ada.get('/api/vault')).body.items).toHaveLength(1);
}

function codeOf({ body }: Answer): string {
  return body.error.code;
}
