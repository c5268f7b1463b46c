import { findFreePort } from '@x/test-support/network';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere, useDemoHere } from '../support/demo-in-process.ts';
import { signInBy } from '../support/oauth.ts';
import { mailedToken, waitForMails } from '../support/outbox.ts';
import { type Person, signUpPeople, signUpPerson, wordOf } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '100' });

function invite(by: Person, email: string, role = 'member', organizationId = by.workspaceId): Promise<unknown> {
  return by.must('POST', `/api/organizations/${organizationId}/invite`, { email, role });
}

async function rolesIn(owner: Person, organizationId = owner.workspaceId): Promise<Readonly<Record<string, string>>> {
  const { members } = await owner.must('GET', `/api/organizations/${organizationId}/members`);
  const listed = members as readonly { readonly email: string; readonly role: string }[];
  return Object.fromEntries(listed.map(({ email, role }) => [email, role]));
}

it('mails an invitation, which waits for an account that proves the address', async () => {
  const ada = await signUpPerson(url());
  const guest = newAccount('guest');
  expect(await invite(ada, guest.email.toUpperCase(), 'admin')).toEqual({ ok: true });
  const [mail] = await waitForMails(url(), { kind: 'invitation', to: guest.email, count: 1 });
  expect(mail).toMatchObject({ to: guest.email, token: expect.stringMatching(/^[\w-]{43}$/) });
  expect(mail?.url).toContain(mail?.token);
  const bob = await signUpPerson(url(), guest);
  expect(await rolesIn(ada)).not.toHaveProperty([guest.email]);
  await bob.verify();
  expect(await rolesIn(ada)).toHaveProperty([guest.email], 'admin');
  expect(await bob.tenantId(), 'they go on where they are').toBe(bob.workspaceId);
  expect((await bob.must('GET', '/api/auth/tenants'))['tenants']).toHaveLength(2);
});

it('mails an address ten times an hour for all inviters together, and the answers do not tell', async () => {
  const origin = await startHere();
  const { ada, bob } = await signUpPeople(origin, ['ada', 'bob']);
  const [guest, other] = [newAccount('guest').email, newAccount('other').email];
  const project = await bob.must('POST', '/api/projects', { organizationId: bob.workspaceId, name: 'Flood' });
  for (let count = 0; count < 6; count += 1) {
    expect(await invite(ada, guest)).toEqual({ ok: true });
    expect(await bob.must('POST', `/api/projects/${project.id}/share`, { email: guest, role: 'viewer' })).toEqual({
      ok: true,
    });
  }
  await ada.must('POST', '/api/auth/change-email', { email: guest });
  await invite(ada, other);
  await waitForMails(origin, { kind: 'invitation', to: other, count: 1 });
  expect(await waitForMails(origin, { kind: 'invitation', to: guest, count: 10 })).toHaveLength(10);
  expect(await waitForMails(origin, { kind: 'verification', to: guest, count: 0 })).toEqual([]);
});

it('gives an account that has proven the address the role at once, and never a lower one than before', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await bob.verify();
  await invite(ada, bob.email);
  expect(await rolesIn(ada)).toHaveProperty([bob.email], 'member');
  await invite(ada, bob.email, 'admin');
  await invite(ada, bob.email, 'member');
  expect(await rolesIn(ada)).toHaveProperty([bob.email], 'admin');
  await ada.verify();
  await invite(bob, ada.email, 'member', ada.workspaceId);
  expect(await rolesIn(ada)).toHaveProperty([ada.email], 'owner');
  expect(await waitForMails(url(), { kind: 'invitation', to: bob.email, count: 3 })).toHaveLength(3);
});

it('replaces an earlier invitation to an address, and invites no user as owner', async () => {
  const { ada, bob, cid } = await signUpPeople(url(), ['ada', 'bob', 'cid']);
  await bob.verify();
  await invite(ada, bob.email, 'admin');
  const asOwner = { email: cid.email, role: 'owner' };
  expect(wordOf(await ada.post(`/api/organizations/${ada.workspaceId}/invite`, asOwner))).toBe('400 VALIDATION_FAILED');
  await invite(ada, cid.email, 'admin');
  await invite(bob, cid.email, 'member', ada.workspaceId);
  await cid.verify();
  expect(await rolesIn(ada)).toHaveProperty([cid.email], 'member');
});

it('shares a project with an address on the same terms, and with a user at once', async () => {
  const { ada, bob, cid } = await signUpPeople(url(), ['ada', 'bob', 'cid']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'Secret' });
  const share = `/api/projects/${project.id}/share`;
  await ada.must('POST', share, { email: bob.email, role: 'viewer' });
  await ada.must('POST', share, { userId: cid.id, role: 'manager' });
  expect(wordOf(await bob.get(`/api/projects/${project.id}`))).toBe('404 NOT_FOUND');
  await bob.verify();
  expect(wordOf(await bob.get(`/api/projects/${project.id}`))).toBe('200');
  expect(wordOf(await bob.post(share, { userId: bob.id, role: 'manager' }))).toBe('403 FORBIDDEN');
  expect(wordOf(await cid.patch(`/api/projects/${project.id}`, { name: 'Open' }))).toBe('200');
  expect(await rolesIn(ada)).toEqual({ [ada.email]: 'owner' });
  for (const body of [{}, { role: 'viewer' }, { email: 'x', role: 'viewer' }, { userId: cid.id, role: 'owner' }]) {
    expect(wordOf(await ada.post(share, body))).toBe('400 VALIDATION_FAILED');
  }
});

it('takes the role of a user on a project away, whichever it is, and leaves their role in the organization', async () => {
  const { ada, bob, cid } = await signUpPeople(url(), ['ada', 'bob', 'cid']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'Secret' });
  const path = `/api/projects/${project.id}`;
  await ada.must('POST', `/api/organizations/${ada.workspaceId}/set-role`, { userId: bob.id, role: 'member' });
  await ada.must('POST', `${path}/share`, { userId: bob.id, role: 'contributor' });
  await ada.must('POST', `${path}/share`, { userId: cid.id, role: 'manager' });
  expect(wordOf(await bob.post(`${path}/unshare`, { userId: cid.id }))).toBe('403 FORBIDDEN');
  for (const { id } of [bob, cid, cid]) {
    expect(await ada.must('POST', `${path}/unshare`, { userId: id })).toEqual({ ok: true });
  }
  const task = { projectId: project.id, title: 'Draw' };
  expect([wordOf(await bob.get(path)), wordOf(await bob.post('/api/tasks', task))]).toEqual(['200', '403 FORBIDDEN']);
  expect([wordOf(await cid.get(path)), wordOf(await cid.post(`${path}/unshare`, { userId: bob.id }))]).toEqual([
    '404 NOT_FOUND',
    '404 NOT_FOUND',
  ]);
  expect(wordOf(await ada.post(`${path}/unshare`, { userId: crypto.randomUUID() }))).toBe('404 NOT_FOUND');

  await ada.must('POST', `${path}/share`, { email: cid.email, role: 'viewer' });
  await ada.must('POST', `${path}/unshare`, { userId: cid.id });
  await cid.verify();
  expect(wordOf(await cid.get(path)), 'the invitation that waited is gone, too').toBe('404 NOT_FOUND');
});

it('accepts a reset, a change of address and a trusted provider as proofs of an address', async () => {
  const origin = await startHere({ PORT: String(await findFreePort()), RATE_LIMIT_FACTOR: '100' });
  const { ada, bob, cid } = await signUpPeople(origin, ['ada', 'bob', 'cid']);
  const [moved, google] = [newAccount('moved').email, newAccount('google').email];
  for (const email of [bob.email, moved, google]) await invite(ada, email);

  await bob.must('POST', '/api/auth/forgot-password', { email: bob.email });
  const reset = { token: await mailedToken(origin, 'reset', bob.email), password: 'another horse battery' };
  await bob.must('POST', '/api/auth/reset-password', reset);
  expect(await rolesIn(ada)).toHaveProperty([bob.email], 'member');

  await cid.verify();
  await cid.must('POST', '/api/auth/change-email', { email: moved, password: newAccount().password });
  await cid.must('POST', '/api/auth/verify-email', { token: await mailedToken(origin, 'verification', moved) });
  expect(await rolesIn(ada)).toHaveProperty([moved], 'member');

  // GitHub does not vouch for the address, so its holder there is not the invited person.
  await signInBy(new Browser(origin), 'github', { name: 'Gus', email: google });
  expect(await rolesIn(ada)).not.toHaveProperty([google]);
  const gia = new Browser(origin);
  await signInBy(gia, 'google', { name: 'Gia', email: google });
  expect(await rolesIn(ada)).toHaveProperty([google], 'member');
  const { tenants } = (await gia.get('/api/auth/tenants')).body as unknown as { readonly tenants: readonly unknown[] };
  expect(tenants, 'a workspace of her own, and that of Ada').toHaveLength(2);
});

it('ends an invitation after seven days, and together with the resource that it invites to', async () => {
  const origin = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { ada, bob, cid, dan } = await signUpPeople(origin, ['ada', 'bob', 'cid', 'dan']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'Short' });
  await ada.must('POST', `/api/projects/${project.id}/share`, { email: cid.email, role: 'viewer' });
  await ada.delete(`/api/projects/${project.id}`);
  await cid.verify();
  expect((await cid.must('GET', '/api/projects'))['items']).toEqual([]);

  await invite(ada, bob.email);
  await invite(ada, dan.email);
  const advance = (advanceSeconds: number): Promise<unknown> => ada.browser.post('/dev/clock', { advanceSeconds });
  await advance(7 * 86_400 - 60);
  await dan.must('POST', '/api/auth/resend-verification');
  await dan.verify(2);
  expect(await rolesIn(ada), 'a minute before').toHaveProperty([dan.email], 'member');
  await bob.must('POST', '/api/auth/resend-verification');
  await advance(60);
  await bob.verify(2);
  const later = await signUpPerson(origin);
  expect(
    (await bob.browser.post('/api/auth/signin', { email: bob.email, password: newAccount().password })).status,
  ).toBe(200);
  expect((await bob.must('GET', '/api/auth/tenants'))['tenants']).toHaveLength(1);
  expect(await rolesIn(later)).toEqual({ [later.email]: 'owner' });
});

it('limits an organization to 20 invitations an hour, over all actions', async () => {
  const origin = await startHere();
  const { ada, bob } = await signUpPeople(origin, ['ada', 'bob']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'Shared' });
  const path = `/api/organizations/${ada.workspaceId}/invite`;
  // Neither who may not nor what is no invitation counts.
  await bob.post(path, { email: 'x@example.com', role: 'member' });
  await ada.post(path, { email: 'nobody', role: 'member' });
  const answers = await Promise.all(
    Array.from({ length: 19 }, (_, index) => ada.post(path, { email: `guest-${index}@example.com`, role: 'member' })),
  );
  expect(answers.map(wordOf)).toEqual(answers.map(() => '200'));
  const share = { email: 'last@example.com', role: 'viewer' };
  expect(wordOf(await ada.post(`/api/projects/${project.id}/share`, share))).toBe('200');
  const refused = await ada.post(path, { email: 'more@example.com', role: 'member' });
  expect([wordOf(refused), Number(refused.headers.get('retry-after')) > 3500]).toEqual(['429 RATE_LIMITED', true]);
  expect(wordOf(await ada.post(`/api/projects/${project.id}/share`, share))).toBe('429 RATE_LIMITED');
  expect(wordOf(await ada.post(`/api/projects/${project.id}/share`, { userId: bob.id, role: 'viewer' }))).toBe('200');
  expect(wordOf(await bob.post(`/api/organizations/${bob.workspaceId}/invite`, share))).toBe('400 VALIDATION_FAILED');
  await ada.browser.post('/dev/clock', { advanceSeconds: 3600 });
  expect(wordOf(await ada.post(path, { email: 'more@example.com', role: 'member' }))).toBe('200');
});
