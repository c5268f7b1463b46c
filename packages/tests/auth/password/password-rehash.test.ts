import { createArgon2Hasher } from '@x/auth';
import { describe, expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const old = createArgon2Hasher({ memoryKib: 16, passes: 2 });
const auth = { passwordHasher: createArgon2Hasher({ memoryKib: 8, passes: 1 }) };

describe.each(engines)('a hash with old parameters on %s', (engine) => {
  it('is replaced by the next sign-in that succeeds, and by no other', async () => {
    const { server, client } = await createTestServer({ engine, auth });
    const { passwordHash } = await addUser(server, { email, passwordHash: await old.hash(password) });
    const storedHash = async (): Promise<string | null | undefined> =>
      (await server.stores.users.findByLoginEmail(email))?.passwordHash;

    const wrong = await client().post('/api/auth/signin', { email, password: `${password}!` });
    expect(refusalOf(wrong)).toBe('INVALID_CREDENTIALS');
    expect(await storedHash()).toBe(passwordHash);

    expect((await client().post('/api/auth/signin', { email, password })).status).toBe(200);
    const renewed = await storedHash();
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);

    expect((await client().post('/api/auth/signin', { email, password })).status).toBe(200);
    expect(await storedHash()).toBe(renewed);
  });

  it('is replaced, too, if it is of the password as typed, as others hash it', async () => {
    const { server, client } = await createTestServer({ engine, auth });
    const [composed, typed] = ['crème brûlée'.normalize('NFC'), 'crème brûlée'.normalize('NFD')];
    await addUser(server, { email, passwordHash: await auth.passwordHasher.hash(typed) });
    const signIn = async (text: string): Promise<number> =>
      (await client().post('/api/auth/signin', { email, password: text })).status;
    expect(await signIn(composed)).toBe(401);
    expect(await signIn(typed)).toBe(200);
    const renewed = (await server.stores.users.findByLoginEmail(email))?.passwordHash;
    expect(await auth.passwordHasher.verify(renewed!, composed)).toBe(true);
    expect([await signIn(composed), await signIn(typed)]).toEqual([200, 200]);
    expect((await server.stores.users.findByLoginEmail(email))?.passwordHash).toBe(renewed);
  });

  it('is replaced once by 20 parallel sign-ins, and all of them succeed', async () => {
    const { server, client } = await createTestServer({ engine, auth });
    const user = await addUser(server, { email, passwordHash: await old.hash(password) });
    const browsers = Array.from({ length: 20 }, () => client());
    const responses = await Promise.all(
      browsers.map((browser) => browser.post('/api/auth/signin', { email, password })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await server.stores.sessions.countActive(user.id)).toBe(20);
    for (const browser of browsers) {
      expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    }
  });

  it('never overwrites a password that was changed meanwhile', async () => {
    const { server, client } = await createTestServer({ engine, auth });
    const nextHash = await old.hash('a new password');
    for (let round = 0; round < 30; round++) {
      const address = `user${round}@example.com`;
      const user = await addUser(server, { email: address, passwordHash: await old.hash(password) });
      const signIn = client().post('/api/auth/signin', { email: address, password });
      for (let tick = 0; tick < round % 10; tick++) await new Promise((resolve) => setImmediate(resolve));
      const current = (await server.stores.users.findById(user.id))!.passwordHash;
      const isChanged = await server.stores.users.changePassword(user.id, { expectedHash: current, nextHash });
      await signIn;
      const left = (await server.stores.users.findById(user.id))!.passwordHash!;
      expect(left === nextHash).toBe(isChanged);
      expect(left).not.toBe(user.passwordHash);
    }
  });
});
