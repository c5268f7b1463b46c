import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { signInBy } from '../support/oauth.ts';
import { mailedToken } from '../support/outbox.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { Person, signUpPeople, signUpPerson, wordOf } from '../support/person.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const password = 'the owner chose this one';

/** Takes an account over as the owner of its address does, and signs in. */
async function reclaim({ browser: { url }, ...squatter }: Person): Promise<Person> {
  const { email } = squatter;
  const browser = new Browser(url);
  await browser.post('/api/auth/forgot-password', { email });
  const token = await mailedToken(url, 'reset', email);
  expect((await browser.post('/api/auth/reset-password', { token, password })).status).toBe(200);
  const { body } = await browser.post('/api/auth/signin', { email, password });
  return new Person(browser, body.user as unknown as ConstructorParameters<typeof Person>[1]);
}

function setRole(by: Person, to: Person, role: string | null, organizationId = by.workspaceId): Promise<unknown> {
  return by.must('POST', `/api/organizations/${organizationId}/set-role`, { userId: to.id, role });
}

function invite(by: Person, email: string, organizationId = by.workspaceId): Promise<unknown> {
  return by.must('POST', `/api/organizations/${organizationId}/invite`, { email, role: 'admin' });
}

async function rolesIn(by: Person, organizationId: string): Promise<Readonly<Record<string, string>>> {
  const { members } = await by.must('GET', `/api/organizations/${organizationId}/members`);
  const listed = members as readonly { readonly email: string; readonly role: string }[];
  return Object.fromEntries(listed.map(({ email, role }) => [email, role]));
}

async function organizationsOf(person: Person): Promise<readonly string[]> {
  const { items } = await person.must('GET', '/api/organizations');
  return (items as readonly { readonly id: string }[]).map(({ id }) => id).toSorted();
}

const engines: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => 'memory:',
  sqlite: async () => `file:${join(makeFolder(), 'demo.db')}`,
  postgres: createDatabase,
};

describe.for(Object.keys(engines))('an account that its owner takes back from a squatter, on %s', (engine) => {
  const start = async (): Promise<string> => {
    const database = (await engines[engine]?.()) ?? '';
    return startHere({ DATABASE_URL: database, RATE_LIMIT_FACTOR: '100' });
  };

  it('is alone in the workspace, without users that the squatter or its guests let in', async () => {
    const url = await start();
    const { squatter, accomplice, friend, viewer } = await signUpPeople(url, [
      ...(['squatter', 'accomplice', 'friend', 'viewer'] as const),
    ]);
    const { workspaceId } = squatter;
    await setRole(squatter, accomplice, 'owner');
    const project = await squatter.must('POST', '/api/projects', { organizationId: workspaceId, name: 'Plans' });
    const task = await squatter.must('POST', '/api/tasks', { projectId: project.id, title: 'Read them' });
    await setRole(accomplice, friend, 'admin', workspaceId);
    await friend.must('POST', `/api/projects/${project.id}/share`, { userId: viewer.id, role: 'manager' });
    await accomplice.must('POST', '/api/auth/switch-tenant', { tenantId: workspaceId });
    const [guest, late] = [newAccount('guest'), newAccount('late')];
    await invite(squatter, guest.email);
    await invite(accomplice, late.email, workspaceId);

    const owner = await reclaim(squatter);

    expect(await rolesIn(owner, workspaceId)).toEqual({ [owner.email]: 'owner' });
    expect(await owner.tenantId()).toBe(workspaceId);
    // With the JWTs that they had, and with new ones.
    expect((await accomplice.browser.get('/api/auth/sessions')).status).toBe(401);
    expect(await accomplice.tenantId()).toBe(accomplice.workspaceId);
    for (const person of [accomplice, friend, viewer]) {
      expect(await organizationsOf(person)).toEqual([person.workspaceId]);
      for (const path of [`projects/${project.id}`, `tasks/${task.id}`, `organizations/${workspaceId}`]) {
        expect(wordOf(await person.get(`/api/${path}`))).toBe('404 NOT_FOUND');
      }
    }
    for (const account of [guest, late]) {
      const person = await signUpPerson(url, account);
      await person.verify();
      expect(await organizationsOf(person)).toEqual([person.workspaceId]);
    }
    expect(wordOf(await owner.get(`/api/tasks/${task.id}`))).toBe('200');
  });

  it('takes the roles back that the squatter gave others elsewhere, and keeps those that others gave it', async () => {
    const url = await start();
    const { host, squatter, accomplice, colleague } = await signUpPeople(url, [
      ...(['host', 'squatter', 'accomplice', 'colleague'] as const),
    ]);
    const { workspaceId } = host;
    const project = await host.must('POST', '/api/projects', { organizationId: workspaceId, name: 'Host' });
    const other = await host.must('POST', '/api/projects', { organizationId: workspaceId, name: 'Other' });
    await setRole(host, squatter, 'admin');
    await setRole(host, colleague, 'member');
    await setRole(squatter, accomplice, 'admin', workspaceId);
    await squatter.must('POST', `/api/projects/${project.id}/share`, { userId: colleague.id, role: 'manager' });
    await host.must('POST', `/api/projects/${other.id}/share`, { userId: colleague.id, role: 'manager' });
    await squatter.must('POST', `/api/projects/${project.id}/share`, { userId: colleague.id, role: 'manager' });
    const [guest, welcome] = [newAccount('guest'), newAccount('welcome')];
    await invite(squatter, guest.email, workspaceId);
    await invite(host, welcome.email);

    const owner = await reclaim(squatter);

    expect(await rolesIn(host, workspaceId)).toEqual({
      [host.email]: 'owner',
      [owner.email]: 'admin',
      [colleague.email]: 'member',
    });
    expect(wordOf(await accomplice.get(`/api/projects/${project.id}`))).toBe('404 NOT_FOUND');
    expect(wordOf(await colleague.patch(`/api/projects/${project.id}`, { name: 'Mine' }))).toBe('403 FORBIDDEN');
    expect(wordOf(await colleague.patch(`/api/projects/${other.id}`, { name: 'Ours' }))).toBe('200');
    for (const [account, joins] of [
      [guest, false],
      [welcome, true],
    ] as const) {
      const person = await signUpPerson(url, account);
      await person.verify();
      expect((await organizationsOf(person)).includes(workspaceId)).toBe(joins);
    }
    expect(await owner.tenantId()).toBe(owner.workspaceId);
  });
});

/** On every engine, requests that began before the reset may want to go on after it. */
it.for(Object.keys(engines))('lets no user in by requests during the reset, on %s', async (engine) => {
  const url = await startHere({ DATABASE_URL: (await engines[engine]?.()) ?? '', RATE_LIMIT_FACTOR: '1000' });
  for (let round = 0; round < 3; round += 1) {
    const { squatter, host } = await signUpPeople(url, ['squatter', 'host']);
    const people = await Promise.all(Array.from({ length: 6 }, () => signUpPerson(url)));
    await Promise.all(people.slice(0, 2).map((person) => person.verify()));
    await setRole(host, squatter, 'admin');
    const project = await host.must('POST', '/api/projects', { organizationId: host.workspaceId, name: 'Host' });
    const { browser, email, workspaceId } = squatter;
    const owner = new Browser(url);
    await owner.post('/api/auth/forgot-password', { email });
    const reset = { token: await mailedToken(url, 'reset', email), password };
    let isOver = false;
    const keepGranting = async (person: Person): Promise<void> => {
      const grants = [
        [`organizations/${workspaceId}/set-role`, { userId: person.id, role: 'owner' }],
        [`organizations/${workspaceId}/invite`, { email: person.email, role: 'admin' }],
        [`organizations/${host.workspaceId}/set-role`, { userId: person.id, role: 'member' }],
        [`projects/${project.id}/share`, { userId: person.id, role: 'viewer' }],
      ] as const;
      for (let index = 0; !isOver; index += 1) {
        const [path, body] = grants[index % grants.length] ?? grants[0];
        await browser.post(`/api/${path}`, body);
      }
    };
    const granting = people.map(keepGranting);
    const answer = await owner.post('/api/auth/reset-password', reset);
    isOver = true;
    await Promise.all(granting);
    expect(wordOf(answer)).toBe('200');
    const { body } = await owner.post('/api/auth/signin', { email, password });
    const victim = new Person(owner, body.user as unknown as ConstructorParameters<typeof Person>[1]);
    expect(await rolesIn(victim, workspaceId)).toEqual({ [email]: 'owner' });
    expect(await rolesIn(host, host.workspaceId)).toEqual({ [host.email]: 'owner', [email]: 'admin' });
    for (const person of people) expect(await organizationsOf(person)).toEqual([person.workspaceId]);
  }
});

it("is the owner's again when an accomplice gave the account its role in its workspace anew", async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { squatter, accomplice, friend } = await signUpPeople(url, ['squatter', 'accomplice', 'friend']);
  const { workspaceId } = squatter;
  await setRole(squatter, accomplice, 'owner');
  await setRole(accomplice, squatter, null, workspaceId);
  await setRole(accomplice, friend, 'owner', workspaceId);
  await setRole(accomplice, squatter, 'member', workspaceId);
  await setRole(friend, accomplice, null, workspaceId);
  const owner = await reclaim(squatter);
  expect(await rolesIn(owner, workspaceId)).toEqual({ [owner.email]: 'owner' });
  expect(await owner.tenantId()).toBe(workspaceId);
  expect(await organizationsOf(friend)).toEqual([friend.workspaceId]);
});

it('keeps every organization that the account created, and starts in its first', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { squatter, accomplice, friend } = await signUpPeople(url, ['squatter', 'accomplice', 'friend']);
  const second = await squatter.must('POST', '/api/organizations', { name: 'Second' });
  await setRole(squatter, accomplice, 'admin', second.id);
  await setRole(accomplice, friend, 'member', second.id);
  await squatter.must('POST', '/api/auth/switch-tenant', { tenantId: second.id });
  const owner = await reclaim(squatter);
  expect(await organizationsOf(owner)).toEqual([squatter.workspaceId, second.id].toSorted());
  expect(await rolesIn(owner, second.id)).toEqual({ [owner.email]: 'owner' });
  expect(await owner.tenantId()).toBe(squatter.workspaceId);
});

it('gets a new workspace if the squatter has left the first to another user, who keeps it', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { squatter, successor } = await signUpPeople(url, ['squatter', 'successor']);
  const { workspaceId } = squatter;
  await setRole(squatter, successor, 'owner');
  await setRole(successor, squatter, null, workspaceId);
  const owner = await reclaim(squatter);
  expect(await rolesIn(successor, workspaceId)).toEqual({ [successor.email]: 'owner' });
  expect(await organizationsOf(owner)).toEqual([owner.workspaceId]);
  expect(owner.workspaceId).not.toBe(workspaceId);
});

it('loses the same to the owner who signs in with a trusted provider', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { squatter, accomplice } = await signUpPeople(url, ['squatter', 'accomplice']);
  await setRole(squatter, accomplice, 'owner');
  await signInBy(new Browser(url), 'google', { name: 'Vic', email: squatter.email });
  expect(await organizationsOf(accomplice)).toEqual([accomplice.workspaceId]);
});

it('changes nothing for an account whose owner had proven the address', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const { ada, bob } = await signUpPeople(url, ['ada', 'bob']);
  await ada.verify();
  await setRole(ada, bob, 'owner');
  const owner = await reclaim(ada);
  expect(await rolesIn(owner, ada.workspaceId)).toEqual({ [ada.email]: 'owner', [bob.email]: 'owner' });
});
