import { ManualClock } from '@x/store-testing/clock';
import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { loadKeyRing } from '../keys/key-ring.ts';
import { subject } from '../testing/access-token-forge.ts';
import { createSigningKeys } from '../testing/signing-keys.ts';
import { createAccessTokenIssuer } from './issue.ts';

describe.each(['RS256', 'ES256'] as const)('createAccessTokenIssuer with %s', async (algorithm) => {
  const keyRing = await loadKeyRing(createSigningKeys(algorithm).source);
  const clock = new ManualClock('2026-01-01T00:00:00.750Z');
  const options = { keyRing, issuer: 'https://app.example.com', audience: 'the-app', ttlSeconds: 60, clock };
  const nextWeek = new Date('2026-01-08T00:00:00.000Z');
  const accessTokens = createAccessTokenIssuer(options);

  it('issues a token that another implementation verifies with the published key', async () => {
    const { token } = await accessTokens.issue(subject, nextWeek);
    const [jwk] = keyRing.jwks.keys;
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK({ ...jwk }), {
      algorithms: [algorithm],
      issuer: 'https://app.example.com',
      audience: 'the-app',
      typ: 'JWT',
      currentDate: clock.now(),
    });
    const { custom, ...registered } = subject;
    const issued = { iss: 'https://app.example.com', aud: 'the-app', iat: 1_767_225_600, exp: 1_767_225_660 };
    expect(payload).toEqual({ ...registered, ...custom, ...issued, jti: expect.any(String) });
    expect(protectedHeader).toEqual({ alg: algorithm, kid: keyRing.kid, typ: 'JWT' });
  });

  it('counts whole seconds from the second in which a token is issued', async () => {
    const { token, expiresAt } = await accessTokens.issue(subject, nextWeek);
    expect(decodeJwt(token)).toMatchObject({ iat: 1_767_225_600, exp: 1_767_225_660 });
    expect(expiresAt).toEqual(new Date('2026-01-01T00:01:00.000Z'));
  });

  it('issues no token that outlives the second in which the session ends', async () => {
    const { token, expiresAt } = await accessTokens.issue(subject, new Date('2026-01-01T00:00:30.999Z'));
    expect([decodeJwt(token).exp, expiresAt]).toEqual([1_767_225_631, new Date('2026-01-01T00:00:31.000Z')]);
  });

  it('gives every token another id', async () => {
    const [one, two] = await Promise.all([
      accessTokens.issue(subject, nextWeek),
      accessTokens.issue(subject, nextWeek),
    ]);
    expect(decodeJwt(one.token).jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(decodeJwt(one.token).jti).not.toBe(decodeJwt(two.token).jti);
  });

  it('drops custom claims with a registered name', async () => {
    const custom = { plan: 'pro', role: 'admin', acl: {}, exp: 9e9, nbf: 0 };
    const payload = decodeJwt((await accessTokens.issue({ ...subject, custom }, nextWeek)).token);
    expect(payload).toMatchObject({ role: 'user', exp: 1_767_225_660, plan: 'pro' });
    expect(Object.keys(payload)).not.toContain('nbf');
    expect(payload['acl']).toEqual(subject.acl);
  });
});
