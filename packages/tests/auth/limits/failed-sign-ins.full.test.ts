import { createScryptHasher, type PasswordHasher } from '@x/auth';
import { describe, expect, it, vi } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createMfaServer, enrol } from '../../support/second-factor.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const address = '192.0.2.1';

/** Fails to sign in, with an unknown e-mail address for each number. */
async function fail({ client }: TestServer, number: number, from = address): Promise<string> {
  return refusalOf(
    await client(from).post('/api/auth/signin', { email: `nobody${number}@example.com`, password: 'x' }),
  );
}

async function failOften(test: TestServer, times: number, from?: string): Promise<ReadonlySet<string>> {
  return new Set(await atOnce(times, (number) => fail(test, number, from)));
}

/**
 * Calls so many times, 40 at once: ten for each of the four connections to Postgres, for which no call may wait longer
 * than two seconds, even on a busy machine.
 */
async function atOnce(times: number, call: (number: number) => Promise<string>): Promise<readonly string[]> {
  const outcomes: string[] = [];
  const callInTurn = async (): Promise<void> => {
    for (let number = next++; number < times; number = next++) outcomes.push(await call(number));
  };
  let next = 0;
  await Promise.all(Array.from({ length: 40 }, callInTurn));
  return outcomes;
}

async function signIn({ client }: TestServer, credentials: object = ada): Promise<number> {
  return (await client(address).post('/api/auth/signin', credentials)).status;
}

describe.each(allEngines)('failed sign-ins of a network on %s', (engine) => {
  const many = engine === 'postgres' ? 150 : 300;

  it('are refused beyond a hundred in 15 minutes, for any e-mail address, before any hash', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const verify = vi.fn<PasswordHasher['verify']>((hash, password) => hasher.verify(hash, password));
    const test = await createTestServer({
      database: await createDatabase(engine),
      auth: { passwordHasher: { ...hasher, verify } },
    });
    await test.client().post('/api/auth/signup', ada);
    expect(await failOften(test, 100)).toEqual(new Set(['INVALID_CREDENTIALS']));
    expect(verify).toHaveBeenCalledTimes(100);
    const refused = await test.client(address).post('/api/auth/signin', ada);
    expect([refusalOf(refused), refused.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '900']);
    expect(await fail(test, 100)).toBe('RATE_LIMITED');
    expect(verify).toHaveBeenCalledTimes(100);
    expect(await fail(test, 100, '192.0.2.2')).toBe('INVALID_CREDENTIALS');
    test.clock.advance(900_000);
    expect(await signIn(test)).toBe(200);
    expect(await failOften(test, 100)).toEqual(new Set(['INVALID_CREDENTIALS']));
    expect(await fail(test, 100)).toBe('RATE_LIMITED');
  });

  it(`are exactly a hundred of ${many} at once through two servers`, async () => {
    const database = await createDatabase(engine);
    const servers = [await createTestServer({ database }), await createTestServer({ database })] as const;
    const outcomes = await atOnce(many, (number) => fail(servers[number % 2 ? 0 : 1], number));
    expect(outcomes.filter((outcome) => outcome === 'INVALID_CREDENTIALS')).toHaveLength(100);
    expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(many - 100);
  });

  it('refuse no user who signs in at the same time, however many, until there are a hundred', async () => {
    const test = await createTestServer({ database: await createDatabase(engine) });
    await test.client().post('/api/auth/signup', ada);
    const outcomes = await atOnce(many * 0.8, async (number) =>
      number % 3 === 0 ? fail(test, number) : String(await signIn(test)),
    );
    expect(new Set(outcomes)).toEqual(new Set(['INVALID_CREDENTIALS', '200']));
  });

  it('refuse a right password, too, that was still being hashed when the hundredth failed', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const hashed = Promise.withResolvers<void>();
    const verify: PasswordHasher['verify'] = async (hash, password) => {
      if (password === ada.password) await hashed.promise;
      return hasher.verify(hash, password);
    };
    const test = await createTestServer({
      database: await createDatabase(engine),
      auth: { passwordHasher: { ...hasher, verify } },
    });
    await test.client().post('/api/auth/signup', ada);
    const guess = test.client(address).post('/api/auth/signin', ada);
    expect(await failOften(test, 100)).toEqual(new Set(['INVALID_CREDENTIALS']));
    hashed.resolve();
    const refused = await guess;
    expect([refusalOf(refused), refused.headers.getSetCookie()]).toEqual(['RATE_LIMITED', []]);
  });

  it('are not sign-ins that succeed, nor those that only lack the second factor', async () => {
    const database = await createDatabase(engine);
    const test = await createMfaServer({ database });
    await enrol(test);
    const eve = { ...ada, email: 'eve@example.com' };
    await test.client().post('/api/auth/signup', eve);
    for (let count = 0; count < 60; count += 1) {
      expect([await signIn(test), await signIn(test, eve)]).toEqual([403, 200]);
    }
    expect(await failOften(test, 100)).toEqual(new Set(['INVALID_CREDENTIALS']));
    expect(await fail(test, 100)).toBe('RATE_LIMITED');
  });

  it('neither count attempts that the limit of an address refuses, nor use up that of others once refused', async () => {
    const auth = { emailPassword: { rateLimit: { maxAttempts: 2, window: '1h' as const } } };
    const test = await createTestServer({ database: await createDatabase(engine), auth });
    for (let count = 0; count < 150; count += 1) await fail(test, 0);
    for (let number = 1; number < 99; number += 1) expect(await fail(test, number)).toBe('INVALID_CREDENTIALS');
    for (let count = 0; count < 5; count += 1) expect(await fail(test, 100)).toBe('RATE_LIMITED');
    for (const outcome of ['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS', 'RATE_LIMITED']) {
      expect(await fail(test, 100, '192.0.2.2')).toBe(outcome);
    }
  });

  it('do not count attempts that could not be checked', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    let isAway = false;
    const verify: PasswordHasher['verify'] = (hash, password) =>
      isAway ? Promise.reject(new Error('away')) : hasher.verify(hash, password);
    const test = await createTestServer({
      database: await createDatabase(engine),
      auth: { passwordHasher: { ...hasher, verify } },
    });
    isAway = true;
    expect(await failOften(test, 50)).toEqual(new Set(['INTERNAL_ERROR']));
    isAway = false;
    expect(await failOften(test, 100)).toEqual(new Set(['INVALID_CREDENTIALS']));
  });
});

it('counts failed sign-ins of IPv6 addresses by their /64, and those without an address together', async () => {
  const test = await createTestServer();
  for (let number = 0; number < 100; number += 1) await fail(test, number, `2001:db8:1:2::${number}`);
  expect(await fail(test, 100, '2001:db8:1:2:ffff::')).toBe('RATE_LIMITED');
  expect(await fail(test, 100, '2001:db8:1:3::')).toBe('INVALID_CREDENTIALS');
  await failOften(test, 100, '');
  expect(await fail(test, 100, '/run/app.sock')).toBe('RATE_LIMITED');
});
