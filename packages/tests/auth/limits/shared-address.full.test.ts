import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { deriveToken, storedSession } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const address = '192.0.2.1';

describe.each(allEngines)('behind one address on %s', (engine) => {
  it('refreshes of strangers do not use up the attempts of a member', async () => {
    const test = await createTestServer({ database: await createDatabase(engine) });
    const member = test.client(address);
    await member.post('/api/auth/signup', ada);
    for (const token of await uselessTokens(test, member)) {
      const stranger = test.client(address);
      for (let count = 0; count < 20; count += 1) {
        if (token !== null) stranger.cookies.set('app.ref', token);
        await stranger.post('/api/auth/refresh');
      }
      const refused = await stranger.post('/api/auth/refresh');
      expect([refusalOf(refused), refused.headers.getSetCookie()]).toEqual(['RATE_LIMITED', []]);
    }
    for (let count = 0; count < 10; count += 1) expect((await member.post('/api/auth/refresh')).status).toBe(200);
    expect(refusalOf(await member.post('/api/auth/refresh'))).toBe('RATE_LIMITED');
  });

  it('refreshes of members do not use up the attempts of a browser without a session', async () => {
    const test = await createTestServer({ database: await createDatabase(engine) });
    const member = test.client(address);
    await member.post('/api/auth/signup', ada);
    for (let count = 0; count < 10; count += 1) await member.post('/api/auth/refresh');
    expect(refusalOf(await member.post('/api/auth/refresh'))).toBe('RATE_LIMITED');
    const stranger = test.client(address);
    for (let count = 0; count < 10; count += 1) {
      expect(refusalOf(await stranger.post('/api/auth/refresh'))).toBe('SESSION_EXPIRED');
    }
    expect(refusalOf(await stranger.post('/api/auth/refresh'))).toBe('RATE_LIMITED');
  });

  it('exactly ten of 60 concurrent refreshes with one token pass, while strangers send others', async () => {
    const database = await createDatabase(engine);
    const servers = [await createTestServer({ database }), await createTestServer({ database })];
    const member = servers[0]!.client(address);
    await member.post('/api/auth/signup', ada);
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { client } = servers[index % 2]!;
        const [own, stranger] = [client(address), client(address)];
        own.cookies.set('app.ref', member.cookies.get('app.ref')!);
        const [{ status }] = await Promise.all([own.post('/api/auth/refresh'), stranger.post('/api/auth/refresh')]);
        return status;
      }),
    );
    const amounts = [200, 429].map((status) => outcomes.filter((outcome) => outcome === status).length);
    expect(amounts).toEqual([10, 50]);
  });
});

/** Tokens that are none of a member's, and none at all. */
async function uselessTokens(test: TestServer, member: TestClient): Promise<readonly (string | null)[]> {
  const token = member.cookies.get('app.ref') ?? '';
  const session = await storedSession(test, token);
  const unknown = { ...session, id: crypto.randomUUID() as typeof session.id };
  return [
    null,
    'malformed',
    randomBytes(52).toString('base64url'),
    token.slice(0, -4) + randomBytes(3).toString('base64url'),
    deriveToken(test, unknown, 0),
    deriveToken(test, session, 7),
  ];
}
