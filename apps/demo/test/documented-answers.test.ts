import type { OpenApiDocument } from '@x/openapi';
import { expect, it } from 'vitest';
import { newAccount, password } from './support/accounts.ts';
import { askAmiss } from './support/ask-amiss.ts';
import { Browser } from './support/browser.ts';
import { useDemoHere } from './support/demo-in-process.ts';
import { compareAnswers } from './support/documented-answers.ts';
import { fillIn, signInBy } from './support/oauth.ts';
import { mailedToken } from './support/outbox.ts';
import { type Person, signUpPerson, wordOf } from './support/person.ts';
import { recordAnswers } from './support/recorded-answers.ts';

const admin = newAccount('admin');

const url = useDemoHere({ RATE_LIMIT_FACTOR: '1000', OAUTH_MOCK: 'true', ADMIN_EMAIL: admin.email });

async function readDocument(): Promise<OpenApiDocument> {
  return JSON.parse((await new Browser(url()).get('/api/openapi.json')).text) as OpenApiDocument;
}

it('answers as it is documented, whatever goes well', { timeout: 60_000 }, async () => {
  const answers = recordAnswers(url());
  const document = await readDocument();
  const [ada, bob] = [await signUpPerson(url()), await signUpPerson(url())];
  await useAccount(ada);
  await useTracker(ada, bob);
  await useOwnRecords(ada);
  await useAnnouncements();
  await useServer(ada.browser);
  await meetConflicts(ada);
  await endAccounts(ada);

  const { complaints, seen } = compareAnswers(document, answers);
  expect(complaints).toEqual([]);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const unseen = operations.filter(
    ({ operationId, responses }) =>
      !Object.keys(responses).some((status) => status < '400' && seen.has(`${operationId} ${status}`)),
  );
  expect(unseen.map(({ operationId }) => operationId)).toEqual([]);
});

it('refuses as it is documented, whatever is sent amiss', { timeout: 60_000 }, async () => {
  const answers = recordAnswers(url());
  const document = await readDocument();
  await askAmiss(url(), document);

  const { complaints, seen } = compareAnswers(document, answers);
  expect(complaints).toEqual([]);
  const statuses = new Set([...seen].map((each) => each.split(' ')[1]));
  expect([...statuses]).toEqual(expect.arrayContaining(['400', '401', '403', '404', '405', '413', '415']));
});

async function useAccount(ada: Person): Promise<void> {
  const { browser, email } = ada;
  await browser.post('/api/auth/resend-verification');
  await ada.verify(2);
  await useSessions(ada);
  await useProviders(browser);
  await ada.must('POST', '/api/auth/change-password', { currentPassword: password, newPassword: password });
  await ada.must('POST', '/api/auth/change-email', { email: newAccount().email, password });
  await browser.post('/api/auth/forgot-password', { email });
  await ada.must('POST', '/api/auth/reset-password', { token: await mailedToken(url(), 'reset', email), password });
  await browser.post('/api/auth/signin', { email, password });
  await useSecondFactor(ada);
}

async function useSessions({ browser, email, workspaceId }: Person): Promise<void> {
  const other = new Browser(url());
  await other.post('/api/auth/signin', { email, password });
  await browser.get('/api/auth/session');
  await new Browser(url()).get('/api/auth/session');
  const { body } = await browser.get('/api/auth/sessions');
  const { id } = body.sessions.find(({ isCurrent }) => !isCurrent) ?? { id: '' };
  await browser.delete(`/api/auth/sessions/${id}`);
  await browser.delete('/api/auth/sessions');
  await browser.post('/api/auth/refresh');
  await browser.get('/api/auth/events?limit=3');
  await browser.get('/api/auth/tenants');
  await browser.post('/api/auth/switch-tenant', { tenantId: workspaceId });
  const set = await browser.get('/api/auth/access-set');
  const headers = { 'if-none-match': set.headers.get('etag') };
  await browser.send('/api/auth/access-set', { headers });
}

async function useProviders(browser: Browser): Promise<void> {
  await browser.get('/api/auth/providers');
  await signInBy(new Browser(url()), 'google', { name: 'Eve', email: newAccount().email });
  const started = await browser.post('/api/auth/oauth/github/link', {});
  const { url: page } = started.body as unknown as { readonly url: string };
  await browser.get(await fillIn(page, { name: 'Ada', email: newAccount().email }));
  await browser.get('/api/auth/oauth-accounts');
  await browser.delete('/api/auth/oauth-accounts/github');
}

async function useSecondFactor(ada: Person): Promise<void> {
  await ada.stepUp();
  await ada.must('GET', '/api/auth/mfa/status');
  const { backupCodes } = await ada.must('POST', '/api/auth/mfa/backup-codes', { password });
  const again = new Browser(url());
  await again.post('/api/auth/signin', { email: ada.email, password });
  const [code] = backupCodes as readonly string[];
  await again.post('/api/auth/mfa/challenge', { code });
}

async function useTracker(ada: Person, bob: Person): Promise<void> {
  const organization = await ada.must('POST', '/api/organizations', { name: 'Acme' });
  const path = `/api/organizations/${organization.id}`;
  await ada.must('PATCH', path, { name: 'Acme & Sons' });
  await useEntity(ada, 'organizations', organization.id);
  await ada.must('POST', `${path}/plan`, { plan: 'pro' });
  await ada.must('POST', `${path}/add-ons`, { addOn: 'extra-exports', attach: true });
  await ada.must('GET', `${path}/plan`);
  await ada.must('POST', `${path}/set-role`, { userId: bob.id, role: 'member' });
  await ada.must('POST', `${path}/invite`, { email: newAccount().email, role: 'member' });
  await ada.must('GET', `${path}/members`);
  const project = await ada.must('POST', '/api/projects', { organizationId: organization.id, name: 'Website' });
  await useProject(ada, bob, project.id);
  await ada.must('DELETE', `/api/projects/${project.id}`);
  await ada.must('DELETE', path);
}

async function useProject(ada: Person, bob: Person, projectId: string): Promise<void> {
  const path = `/api/projects/${projectId}`;
  await ada.must('PATCH', path, { description: 'A new one' });
  await useEntity(ada, 'projects', projectId, 'include=organization,tasks.comments');
  await ada.must('POST', `${path}/share`, { userId: bob.id, role: 'viewer' });
  const task = await ada.must('POST', '/api/tasks', { projectId, title: 'Draw', dueAt: new Date().toISOString() });
  await ada.must('PATCH', `/api/tasks/${task.id}`, { ...task, priority: 'high' });
  const comment = await ada.must('POST', '/api/comments', { taskId: task.id, body: 'Soon' });
  await ada.must('PATCH', `/api/comments/${comment.id}`, { ...comment, body: 'Now' });
  await useEntity(ada, 'tasks', task.id, 'include=comments,project');
  await useEntity(ada, 'comments', comment.id);
  await ada.must('POST', '/api/tasks/bulk-complete', { ids: [task.id] });
  const resource = { type: 'project', id: projectId };
  await ada.must('POST', '/api/access/check', { checks: [{ entitlement: 'project:update', resource }] });
  await ada.must('POST', '/api/access/explain', { entitlement: 'project:update', resource });
  await bob.must('POST', '/api/access/check', { checks: [{ entitlement: 'project:update', resource }] });
  await ada.must('POST', `${path}/export`);
  await ada.must('POST', `${path}/archive`);
  await ada.must('DELETE', `/api/comments/${comment.id}`);
  await ada.must('DELETE', `/api/tasks/${task.id}`);
}

/** Reads records of an entity in every way. */
async function useEntity(ada: Person, entity: string, id: string, query = 'select=id'): Promise<void> {
  await ada.must('GET', `/api/${entity}?count=true&where[id][in]=${id}&orderBy=createdAt:desc&limit=1`);
  await ada.must('GET', `/api/${entity}?${query}`);
  await ada.must('GET', `/api/${entity}/${id}`);
  await ada.must('GET', `/api/${entity}/${id}?${query}`);
  await ada.must('POST', `/api/${entity}/query`, { where: { OR: [{ id: { eq: id } }] }, limit: 1, select: ['id'] });
}

async function useOwnRecords(ada: Person): Promise<void> {
  for (const [entity, body] of [
    ['notes', { title: 'First', body: 'Text' }],
    ['documents', { title: 'First', body: 'Text' }],
    ['vault', { label: 'Door', secret: 'Open sesame' }],
  ] as const) {
    const record = await ada.must('POST', `/api/${entity}`, body);
    await ada.must('PATCH', `/api/${entity}/${record.id}`, record);
    await useEntity(ada, entity, record.id);
    await ada.must('DELETE', `/api/${entity}/${record.id}`);
  }
  await ada.must('POST', '/api/notes/bulk', { create: [{ title: 'One', body: '' }], update: [], delete: [] });
}

async function useAnnouncements(): Promise<void> {
  const person = await signUpPerson(url(), admin);
  await person.verify();
  await person.browser.post('/api/auth/signin', admin);
  const body = { title: 'News', body: 'Text', publishedAt: new Date().toISOString() };
  const { id } = await person.must('POST', '/api/announcements', body);
  await person.must('PATCH', `/api/announcements/${id}`, { title: 'Olds' });
  await useEntity(person, 'announcements', id);
  await person.must('DELETE', `/api/announcements/${id}`);
}

/** Sends what is right by itself, and stands against what there is. */
async function meetConflicts(ada: Person): Promise<void> {
  const slug = `taken-${crypto.randomUUID()}`;
  const { id } = await ada.must('POST', '/api/organizations', { name: 'First', slug });
  const path = `/api/organizations/${id}`;
  const second = await ada.post('/api/organizations', { name: 'Second', slug });
  const stale = await ada.browser.send(path, { method: 'PATCH', body: { name: 'x' }, headers: { 'if-match': '"99"' } });
  const last = await ada.post(`${path}/set-role`, { userId: ada.id, role: null });
  const nobody = await ada.post(`${path}/set-role`, { userId: crypto.randomUUID(), role: 'member' });
  const twice = await ada.post('/api/auth/signup', { email: ada.email, password });
  const on = await ada.post('/api/auth/mfa/setup');
  expect([second, stale, last, nobody, twice, on].map(wordOf)).toEqual([
    ...['409 CONFLICT', '412 PRECONDITION_FAILED', '409 CONFLICT', '404 NOT_FOUND', '409 USER_EXISTS'],
    '409 MFA_ALREADY_ENABLED',
  ]);
}

async function useServer(browser: Browser): Promise<void> {
  for (const path of ['/healthz', '/readyz', '/api/docs', '/api/auth/.well-known/jwks.json']) await browser.get(path);
}

async function endAccounts(ada: Person): Promise<void> {
  await ada.must('POST', '/api/auth/mfa/disable', { password });
  await ada.must('POST', '/api/auth/signout');
  const eve = await signUpPerson(url());
  await eve.ask('DELETE', '/api/auth/account', { password });
}
