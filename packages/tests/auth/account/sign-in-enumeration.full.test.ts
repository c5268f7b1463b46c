import { createArgon2Hasher, createScryptHasher, type PasswordHasher } from '@x/auth';
import { describe, expect, it, vi } from 'vitest';
import { addAccounts, refused } from '../../support/refused-sign-ins.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

describe.each(engines)('a refused sign-in on %s', (engine) => {
  it('returns the same body and headers for any reason', async () => {
    const { server } = await createTestServer({ engine });
    await addAccounts(server, createScryptHasher({ ln: 1, r: 1, p: 1 }));
    const port = await serve(server);
    const responses = [];
    for (const credentials of Object.values(refused)) {
      const request = encodeRequest('POST /api/auth/signin', { body: JSON.stringify(credentials) });
      responses.push(await exchange(port, request));
    }
    expect(responses.map(refusalOf)).toEqual(responses.map(() => 'INVALID_CREDENTIALS'));
    const visible = responses.map(({ text, headers }) => {
      headers.delete('x-request-id');
      headers.delete('date');
      return { text, headers: [...headers] };
    });
    for (const response of visible) expect(response).toEqual(visible[0]);
    expect(visible[0]?.headers.map(([name]) => name)).not.toContain('set-cookie');
  });

  it('verifies one hash with the current parameters and takes the same steps on the stores', async () => {
    const hasher = createArgon2Hasher({ memoryKib: 32, passes: 3 });
    const verify = vi.fn<PasswordHasher['verify']>((hash, text) => hasher.verify(hash, text));
    const hash = vi.fn<PasswordHasher['hash']>((text) => hasher.hash(text));
    const { server, client } = await createTestServer({
      engine,
      auth: { passwordHasher: { ...hasher, verify, hash } },
    });
    await addAccounts(server, hasher);
    const find = vi.spyOn(server.stores.users, 'findByLoginEmail');
    await client().post('/api/auth/signin', refused.unknown);
    const append = vi.spyOn(server.stores.events, 'append');
    const transaction = vi.spyOn(server.stores, 'transaction');

    for (const credentials of Object.values(refused)) {
      for (const spy of [verify, hash, find, append, transaction]) spy.mockClear();
      await client().post('/api/auth/signin', credentials);
      expect(verify).toHaveBeenCalledTimes(1);
      expect(verify.mock.calls[0]?.[0]).toMatch(/^\$argon2id\$v=19\$m=32,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      expect(verify.mock.calls[0]?.[1]).toBe(credentials.password);
      expect([hash, find, append, transaction].map((spy) => spy.mock.calls.length)).toEqual([0, 1, 1, 0]);
    }
  });
});

it('waits for the same queue to refuse a sign-in for any reason', async () => {
  const hasher = createArgon2Hasher({ memoryKib: 8, passes: 1 });
  const gate = Promise.withResolvers<void>();
  const verify: PasswordHasher['verify'] = async (hash, text) => gate.promise.then(() => hasher.verify(hash, text));
  const { server, client } = await createTestServer({ auth: { passwordHasher: { ...hasher, verify } } });
  await addAccounts(server, hasher);
  const flood = Array.from({ length: 600 }, () => client().post('/api/auth/signin', refused.wrong));
  await Promise.race(flood);
  for (const credentials of Object.values(refused)) {
    const response = await client().post('/api/auth/signin', credentials);
    expect([response.status, response.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(response.headers.get('retry-after')).toBe('1');
  }
  gate.resolve();
  await Promise.all(flood);
});
