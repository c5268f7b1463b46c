import { createPostgresDatabase } from '@x/test-support/database';
import { beforeAll, expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { useDemoHere } from '../support/demo-in-process.ts';
import { mailedToken } from '../support/outbox.ts';
import { count, countDeadlocks } from '../support/postgres-database.ts';
import { Person, signUpPeople, signUpPerson, wordOf } from '../support/person.ts';

// Two servers, each with a pool of its own, on one Postgres.
const database = await createPostgresDatabase();
const shared = { DATABASE_URL: database.url, ENCRYPTION_KEY: crypto.randomUUID(), RATE_LIMIT_FACTOR: '1000' };
const first = useDemoHere(shared);
const second = useDemoHere(shared);
beforeAll(() => () => database.drop());

const rounds = process.env['DEEP'] ? 40 : 3;

/** Of many transactions that wait for one row, the last may give up on a busy machine, having changed nothing. */
const waitedTooLong = '503 SERVICE_UNAVAILABLE';

/** Counts organizations without an owner who has an account. */
const ownerless = `
  SELECT COUNT(*) FROM app_organizations WHERE id NOT IN (
    SELECT resource_id FROM access_role_assignments AS granted JOIN auth_users ON 'user:' || auth_users.id = holder
    WHERE granted.role = 'owner'
  )`;

/** Has something happen over and over, each time to people who know each other from nowhere. */
async function again(happen: () => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await happen();
}

function setRole(by: Person, organizationId: string, userId: string, role: string | null): Promise<string> {
  return by.post(`/api/organizations/${organizationId}/set-role`, { userId, role }).then(wordOf);
}

async function membersOf(by: Person, organizationId: string): Promise<readonly { userId: string; role: string }[]> {
  const { members } = await by.must('GET', `/api/organizations/${organizationId}/members`);
  return members as readonly { userId: string; role: string }[];
}

/** The same session at the other server. */
function elsewhere({ browser, id, email, workspaceId: tenantId }: Person): Person {
  return new Person(browser.at(second()), { id, email, tenantId });
}

/** The same person at the other server, in a session of its own. */
async function signedInElsewhere({ id, email, workspaceId: tenantId }: Person): Promise<Person> {
  const person = new Person(new Browser(second()), { id, email, tenantId });
  await person.must('POST', '/api/auth/signin', { email, password: newAccount().password });
  return person;
}

it('keeps one of two owners who remove each other at once', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    await setRole(ada, ada.workspaceId, bob.id, 'owner');
    const there = elsewhere(bob);
    const words = await Promise.all([
      setRole(ada, ada.workspaceId, bob.id, null),
      setRole(there, ada.workspaceId, ada.id, null),
    ]);
    expect(words.filter((word) => word === '200')).toHaveLength(1);
    const [winner, loser] = words[0] === '200' ? [ada, bob] : [there, ada];
    expect(await membersOf(winner, ada.workspaceId)).toMatchObject([{ userId: winner.id, role: 'owner' }]);
    expect(await loser.tenantId()).toBe(loser === ada ? null : bob.workspaceId);
  });
});

it('refuses one of two owners who step down at once, as the last', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    await setRole(ada, ada.workspaceId, bob.id, 'owner');
    const there = elsewhere(bob);
    const words = await Promise.all([
      setRole(ada, ada.workspaceId, ada.id, 'member'),
      setRole(there, ada.workspaceId, bob.id, 'member'),
    ]);
    expect(words.toSorted()).toEqual(['200', '409 CONFLICT']);
  });
});

it('leaves a user with one of several roles given at once', async () => {
  const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
  const there = elsewhere(ada);
  await again(async () => {
    const words = await Promise.all(
      ['admin', 'member', 'owner', 'member', 'admin', 'owner'].map((role, index) =>
        setRole(index % 2 === 0 ? ada : there, ada.workspaceId, bob.id, role),
      ),
    );
    expect(words.filter((word) => word !== '200' && word !== waitedTooLong)).toEqual([]);
    expect((await membersOf(ada, ada.workspaceId)).filter(({ userId }) => userId === bob.id)).toHaveLength(1);
  });
});

it('never misses an invitation that races the proof of its address', async () => {
  await again(async () => {
    const ada = await signUpPerson(first());
    const bob = await signUpPerson(second());
    const token = await mailedToken(second(), 'verification', bob.email);
    const [invited, verified] = await Promise.all([
      ada.post(`/api/organizations/${ada.workspaceId}/invite`, { email: bob.email, role: 'admin' }),
      bob.post('/api/auth/verify-email', { token }),
    ]);
    expect([invited.status, verified.status]).toEqual([200, 200]);
    expect(await membersOf(ada, ada.workspaceId)).toContainEqual(
      expect.objectContaining({ userId: bob.id, role: 'admin' }),
    );
  });
});

it('leaves no session in a tenant of a user who leaves it while they sign in or switch', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    await setRole(ada, ada.workspaceId, bob.id, 'member');
    const there = await signedInElsewhere(bob);
    await there.must('POST', '/api/auth/switch-tenant', { tenantId: ada.workspaceId });
    const newcomer = new Person(new Browser(second()), { id: bob.id, email: bob.email, tenantId: bob.workspaceId });
    await Promise.all([
      setRole(ada, ada.workspaceId, bob.id, null),
      newcomer.browser.post('/api/auth/signin', { email: bob.email, password: newAccount().password }),
      bob.post('/api/auth/switch-tenant', { tenantId: ada.workspaceId }),
    ]);
    for (const session of [bob, there, newcomer]) expect(await session.tenantId()).toBe(bob.workspaceId);
  });
});

it('keeps an account that is deleted while a user joins its organization, or deletes everything with it', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    const there = elsewhere(ada);
    const { password } = newAccount();
    const [joined, deleted] = await Promise.all([
      setRole(ada, ada.workspaceId, bob.id, 'member'),
      there.ask('DELETE', '/api/auth/account', { password }).then(wordOf),
    ]);
    const organization = wordOf(await bob.get(`/api/organizations/${ada.workspaceId}`));
    const tenants = (await bob.must('GET', '/api/auth/tenants'))['tenants'] as readonly unknown[];
    expect([
      ['404 NOT_FOUND', '200', '404 NOT_FOUND', 1],
      ['401 UNAUTHENTICATED', '200', '404 NOT_FOUND', 1],
      ['403 FORBIDDEN', '200', '404 NOT_FOUND', 1],
      ['200', '409 CONFLICT', '200', 2],
    ]).toContainEqual([joined, deleted, organization, tenants.length]);
  });
});

it('deletes an organization that a user joins again and again meanwhile, and leaves no member in it', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    await ada.stepUp();
    const there = elsewhere(ada);
    const roles = ['member', 'admin', null, 'member', 'admin', null, 'member', 'admin'];
    const [deleted, ...joined] = await Promise.all([
      there.delete(`/api/organizations/${ada.workspaceId}`).then(wordOf),
      ...roles.map((role, index) => setRole(index % 2 === 0 ? ada : there, ada.workspaceId, bob.id, role)),
    ]);
    expect(deleted).toBe('204');
    expect(joined.filter((word) => !['200', '403 FORBIDDEN', '404 NOT_FOUND'].includes(word))).toEqual([]);
    expect(await bob.must('GET', '/api/auth/tenants')).toMatchObject({ tenants: [{ id: bob.workspaceId }] });
  });
});

it('leaves no organization without an owner when an account that creates them is deleted meanwhile', async () => {
  await again(async () => {
    const ada = await signUpPerson(first());
    const there = elsewhere(ada);
    const [deleted, ...made] = await Promise.all([
      ada.ask('DELETE', '/api/auth/account', { password: newAccount().password }).then(wordOf),
      ...Array.from({ length: 8 }, () => there.browser.post('/api/organizations', { name: 'New' }).then(wordOf)),
    ]);
    expect(deleted).toBe('200');
    expect(made.filter((word) => word !== '201' && word !== '401 UNAUTHENTICATED')).toEqual([]);
    expect(await count(database.url, ownerless)).toBe(0);
  });
});

it('leaves no role on a project that is deleted while it is shared', async () => {
  await again(async () => {
    const { ada, bob } = await signUpPeople(first(), ['ada', 'bob']);
    const { id } = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'P' });
    const there = elsewhere(ada);
    const [deleted, ...shared] = await Promise.all([
      there.delete(`/api/projects/${id}`).then(wordOf),
      ...['viewer', 'manager', 'viewer', 'contributor', 'viewer', 'manager'].map((role, index) =>
        (index % 2 === 0 ? ada : there).post(`/api/projects/${id}/share`, { userId: bob.id, role }).then(wordOf),
      ),
    ]);
    expect(deleted).toBe('204');
    expect(shared.filter((word) => !['200', '403 FORBIDDEN', '404 NOT_FOUND'].includes(word))).toEqual([]);
    const roles = `SELECT COUNT(*) FROM access_role_assignments WHERE resource_id = '${id}'`;
    expect(await count(database.url, roles)).toBe(0);
  });
});

it('deletes a project while its tasks are completed, without a deadlock', async () => {
  await again(async () => {
    const ada = await signUpPerson(first());
    const { id } = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'P' });
    const task = { projectId: id, title: 'T' };
    const tasks = await Promise.all(Array.from({ length: 12 }, () => ada.must('POST', '/api/tasks', task)));
    const ids = tasks.map((each) => each.id);
    const there = elsewhere(ada);
    const [deleted, ...completed] = await Promise.all([
      there.delete(`/api/projects/${id}`).then(wordOf),
      ...Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? ada : there).post('/api/tasks/bulk-complete', { ids }).then(wordOf),
      ),
    ]);
    expect(['204', waitedTooLong]).toContain(deleted);
    expect(completed.filter((word) => !['200', '404 NOT_FOUND', waitedTooLong].includes(word))).toEqual([]);
    expect(completed.filter((word) => word !== waitedTooLong)).not.toEqual([]);
  });
  expect(await countDeadlocks(database.url)).toBe(0);
});
