import { type Auth, createAuth, type User } from '@x/auth';
import type { NewUser, Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { updateAdminOnProof, updateAdmins } from '../../src/access/admin-role.ts';
import { createTrackerOrganizations } from '../../src/entities/organizations.ts';
import { listTables } from '../../src/tracker.ts';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { mailedToken, waitForMails } from '../support/outbox.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const email = 'boss@example.com';
const clock = { now: () => new Date() };
const entities = listTables(createTrackerOrganizations(async () => {}));

/** Opens the stores of two processes on a database. */
const engines: Readonly<Record<string, () => Promise<readonly [Stores, Stores]>>> = {
  memory: async () => {
    const stores = createMemoryStores({ clock, entities });
    return [stores, stores];
  },
  sqlite: async () => {
    const path = join(makeFolder(), 'admins.db');
    return [
      createSqliteStores({ patience: patient, path, clock, entities }),
      createSqliteStores({ patience: patient, path, clock, entities }),
    ];
  },
  postgres: async () => {
    const url = await createDatabase();
    return [
      createPostgresStores({ patience: patient, url, clock, entities }),
      createPostgresStores({ patience: patient, url, clock, entities }),
    ];
  },
};

async function open(engine: string): Promise<readonly [Stores, Stores]> {
  const opened = await engines[engine]?.();
  if (!opened) throw new TypeError('There is no such engine.');
  onTestFinished(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
  });
  await opened[0].migrate();
  return opened;
}

async function addUser(stores: Stores, user: Partial<NewUser> = {}): Promise<UserId> {
  const id = crypto.randomUUID() as UserId;
  const rest = { emailVerified: false, emailProvenAt: null, passwordHash: null, tenantId: null, fields: {} };
  await stores.users.create({ id, email, loginEmail: email, role: 'user', ...rest, ...user });
  return id;
}

/** Adds a user who has proven their address. */
function addProven(stores: Stores, address: string, role = 'user'): Promise<UserId> {
  return addUser(stores, { email: address, loginEmail: address, emailProvenAt: clock.now(), role });
}

/** Creates the API that operators work with. */
async function createOperator(stores: Stores): Promise<Auth['admin']> {
  const developmentKeysPath = makeFolder();
  return (await createAuth({ stores, production: false, session: { strategy: 'jwt' }, developmentKeysPath })).admin;
}

async function roleOf({ users }: Stores, id: UserId): Promise<string | undefined> {
  return (await users.findById(id))?.role;
}

/** Has an account prove the address; returns its role then. */
async function roleAfterProof(stores: Stores, id: UserId): Promise<string | undefined> {
  const user = { ...(await stores.users.findById(id)) } as unknown as User;
  await stores.transaction(async (inside) => updateAdminOnProof(email, clock)(user, { stores: inside }));
  return roleOf(stores, id);
}

it('does not make a provider account admin that only shows the address while another account signs in with it', async () => {
  const [stores] = await open('memory');
  const [owner, stranger] = [await addUser(stores), await addUser(stores, { loginEmail: null })];
  expect(await roleAfterProof(stores, stranger)).toBe('user');
  expect(await roleAfterProof(stores, owner)).toBe('admin');
});

it('makes a provider account admin by the proof if no other user has the address', async () => {
  const [stores] = await open('memory');
  expect(await roleAfterProof(stores, await addUser(stores, { loginEmail: null }))).toBe('admin');
});

describe.for(Object.keys(engines))('the role of an admin by ADMIN_EMAIL, on %s', (engine) => {
  it('ends when the variable names another address, or none', async () => {
    const [stores] = await open(engine);
    const [boss, next] = [await addProven(stores, email, 'editor'), await addProven(stores, 'next@example.com')];
    await updateAdmins(stores, email);
    await updateAdmins(stores, email);
    expect([await roleOf(stores, boss), await roleOf(stores, next)]).toEqual(['admin', 'user']);
    await updateAdmins(stores, 'next@example.com');
    expect([await roleOf(stores, boss), await roleOf(stores, next)]).toEqual(['editor', 'admin']);
    await updateAdmins(stores, undefined);
    expect([await roleOf(stores, boss), await roleOf(stores, next)]).toEqual(['editor', 'user']);
    await updateAdmins(stores, email);
    expect(await roleOf(stores, boss)).toBe('admin');
  });

  it('stays if an operator gave it, before the variable or after', async () => {
    const [stores] = await open(engine);
    const operator = await createOperator(stores);
    const [before, after] = [await addProven(stores, email), await addProven(stores, 'next@example.com')];
    await operator.setRole(before, 'admin');
    await updateAdmins(stores, email);
    await updateAdmins(stores, 'next@example.com');
    await operator.setRole(after, 'admin');
    for (const value of ['next@example.com', undefined, 'other@example.com']) {
      await updateAdmins(stores, value);
      expect([await roleOf(stores, before), await roleOf(stores, after)]).toEqual(['admin', 'admin']);
    }
  });

  it('does not undo a role that an operator set later', async () => {
    const [stores] = await open(engine);
    const operator = await createOperator(stores);
    const boss = await addProven(stores, email);
    await updateAdmins(stores, email);
    await operator.setRole(boss, 'auditor');
    await updateAdmins(stores, undefined);
    expect(await roleOf(stores, boss)).toBe('auditor');
  });

  it('is given to one of two addresses, or both, by processes that start at once with different values', async () => {
    const [one, two] = await open(engine);
    const people = [await addProven(one, 'one@example.com'), await addProven(one, 'two@example.com')];
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([updateAdmins(one, 'one@example.com'), updateAdmins(two, 'two@example.com')]);
      const roles = await Promise.all(people.map((id) => roleOf(one, id)));
      expect(roles).toContain('admin');
    }
    await updateAdmins(one, undefined);
    expect(await Promise.all(people.map((id) => roleOf(two, id)))).toEqual(['user', 'user']);
  });
});

it('ends at the next start of the demo, with the JWTs that name it', async () => {
  const DATABASE_URL = `file:${join(makeFolder(), 'demo.db')}`;
  const account = newAccount('boss');
  const ENCRYPTION_KEY = crypto.randomUUID();
  const url = await startHere({ DATABASE_URL, ENCRYPTION_KEY, ADMIN_EMAIL: account.email });
  const browser = new Browser(url);
  await browser.post('/api/auth/signup', account);
  await browser.post('/api/auth/verify-email', { token: await mailedToken(url, 'verification', account.email) });
  expect((await browser.post('/api/auth/refresh')).body.user.role).toBe('admin');
  const later = browser.at(await startHere({ DATABASE_URL, ENCRYPTION_KEY }));
  expect((await later.post('/api/auth/refresh')).body.user.role).toBe('user');
  expect((await later.post('/api/announcements', { title: 'a', body: 'b' })).status).toBe(403);
});

it('goes from a user who proves another address to the one who proves this one', async () => {
  const account = newAccount('boss');
  const url = await startHere({ DATABASE_URL: 'memory:', ADMIN_EMAIL: account.email });
  const [boss, next] = [new Browser(url), new Browser(url)];
  const verify = async (browser: Browser, to: string, count = 1): Promise<string | undefined> => {
    const [mail] = await waitForMails(url, { kind: 'verification', to, count });
    await browser.post('/api/auth/verify-email', { token: mail?.token });
    return (await browser.post('/api/auth/refresh')).body.user.role;
  };
  await boss.post('/api/auth/signup', account);
  expect(await verify(boss, account.email)).toBe('admin');
  const moved = newAccount('moved').email;
  expect((await boss.post('/api/auth/change-email', { email: moved })).status).toBe(200);
  expect(await verify(boss, moved)).toBe('user');
  expect((await boss.post('/api/announcements', { title: 'a', body: 'b' })).status).toBe(403);
  await next.post('/api/auth/signup', account);
  expect(await verify(next, account.email, 2)).toBe('admin');
});
