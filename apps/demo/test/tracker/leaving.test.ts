import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { useDemoHere } from '../support/demo-in-process.ts';
import { waitForMails } from '../support/outbox.ts';
import { type Person, signUpPeople, signUpPerson, wordOf } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '100' });

/** The path of an action on Ada's organization. */
const at = (ada: Person, action: string): string => `/api/organizations/${ada.workspaceId}/${action}`;

async function listMembers(by: Person, ada: Person): Promise<readonly string[]> {
  const { members } = await by.must('GET', at(ada, 'members'));
  const listed = members as readonly { readonly email: string; readonly role: string }[];
  return listed.map(({ email, role }) => `${email} ${role}`);
}

async function listInvitations(by: Person, ada: Person): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { items } = await by.must('GET', at(ada, 'invitations'));
  return items as readonly Readonly<Record<string, unknown>>[];
}

it('takes the roles below an organization from a member who is removed from it', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'Garden' });
  const own = await bob.must('POST', '/api/projects', { organizationId: bob.workspaceId, name: 'Kitchen' });
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'admin' });
  await ada.must('POST', `/api/projects/${project.id}/share`, { userId: bob.id, role: 'manager' });
  await bob.must('POST', '/api/auth/switch-tenant', { tenantId: ada.workspaceId });
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: null });
  expect(wordOf(await bob.get(`/api/projects/${project.id}`))).toBe('404 NOT_FOUND');
  const share = { email: newAccount('friend').email, role: 'manager' };
  expect(wordOf(await bob.post(`/api/projects/${project.id}/share`, share))).toBe('404 NOT_FOUND');
  expect(await bob.tenantId()).toBe(bob.workspaceId);
  expect((await bob.get(`/api/projects/${own.id}`)).status, 'what is theirs elsewhere stays').toBe(200);
});

it('ends the invitations that a removed person sent, also to a second address of their own', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'admin' });
  const second = newAccount('second');
  await bob.must('POST', at(ada, 'invite'), { email: second.email, role: 'admin' });
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: null });
  expect(await listInvitations(ada, ada)).toEqual([]);
  const again = await signUpPerson(url(), second);
  await again.verify();
  expect(wordOf(await again.get(`/api/organizations/${ada.workspaceId}`))).toBe('404 NOT_FOUND');
});

it('gives nothing by an invitation whose sender may not give the role any more', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'admin' });
  const guests = { ofBob: newAccount('of-bob'), ofAda: newAccount('of-ada') };
  await bob.must('POST', at(ada, 'invite'), { email: guests.ofBob.email, role: 'admin' });
  await ada.must('POST', at(ada, 'invite'), { email: guests.ofAda.email, role: 'member' });
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'member' });
  for (const guest of Object.values(guests)) await (await signUpPerson(url(), guest)).verify();
  expect((await listMembers(ada, ada)).toSorted()).toEqual(
    [`${ada.email} owner`, `${bob.email} member`, `${guests.ofAda.email} member`].toSorted(),
  );
});

it('lets members leave, but not the last owner', async () => {
  const { ada, bob, eve } = await signUpPeople(url(), ['ada', 'bob', 'eve']);
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'member' });
  expect(wordOf(await ada.post(at(ada, 'leave'), {}))).toBe('409 CONFLICT');
  expect(wordOf(await eve.post(at(ada, 'leave'), {}))).toBe('404 NOT_FOUND');
  expect(await bob.must('POST', at(ada, 'leave'))).toEqual({ ok: true });
  expect(wordOf(await bob.get(`/api/organizations/${ada.workspaceId}`))).toBe('404 NOT_FOUND');
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'owner' });
  expect(await ada.must('POST', at(ada, 'leave'))).toEqual({ ok: true });
  expect(await listMembers(bob, ada)).toEqual([`${bob.email} owner`]);
});

it('hands an organization over to another member, and keeps its former owner as admin', async () => {
  const { ada, bob, eve } = await signUpPeople(url(), ['ada', 'bob', 'eve']);
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'admin' });
  expect(wordOf(await bob.post(at(ada, 'transfer'), { userId: bob.id }))).toBe('403 FORBIDDEN');
  expect(wordOf(await ada.post(at(ada, 'transfer'), { userId: eve.id }))).toBe('404 NOT_FOUND');
  expect(await ada.must('POST', at(ada, 'transfer'), { userId: bob.id })).toEqual({ ok: true });
  expect((await listMembers(ada, ada)).toSorted()).toEqual([`${ada.email} admin`, `${bob.email} owner`].toSorted());
});

it('lists the invitations that wait, sends their mails again, and takes them back', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  const [guest, other] = [newAccount('guest'), newAccount('other')];
  await ada.must('POST', at(ada, 'set-role'), { userId: bob.id, role: 'member' });
  await ada.must('POST', at(ada, 'invite'), { email: guest.email, role: 'admin' });
  await ada.must('POST', at(ada, 'invite'), { email: other.email, role: 'member' });
  const [second, first] = await listInvitations(ada, ada);
  expect(first).toEqual({
    ...{ id: expect.any(String), email: guest.email, role: 'admin', state: 'pending', invitedBy: ada.id },
    ...{ createdAt: expect.any(String), expiresAt: expect.any(String) },
  });
  expect(wordOf(await bob.get(at(ada, 'invitations')))).toBe('403 FORBIDDEN');
  await ada.must('POST', at(ada, 'resend-invitation'), { invitationId: first?.['id'] });
  expect(await waitForMails(url(), { kind: 'invitation', to: guest.email, count: 2 })).toHaveLength(2);
  await ada.must('POST', at(ada, 'revoke-invitation'), { invitationId: second?.['id'] });
  for (const action of ['revoke-invitation', 'resend-invitation']) {
    expect(wordOf(await ada.post(at(ada, action), { invitationId: second?.['id'] }))).toBe('404 NOT_FOUND');
    expect(wordOf(await bob.post(at(ada, action), { invitationId: first?.['id'] }))).toBe('403 FORBIDDEN');
    expect(wordOf(await ada.post(at(ada, action), { invitationId: 'x' }))).toBe('400 VALIDATION_FAILED');
  }
  await (await signUpPerson(url(), other)).verify();
  expect(await listMembers(ada, ada)).not.toContain(`${other.email} member`);
});
