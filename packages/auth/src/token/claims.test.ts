import type { SessionId, UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { type AccessTokenClaims, fromPayload, registeredClaimNames, toPayload } from './claims.ts';

const claims: AccessTokenClaims = {
  iss: 'https://app.example.com',
  aud: 'https://app.example.com',
  sub: '5f0c6f6e-58b8-4a44-9d8e-2f1f8f3f2b11' as UserId,
  sid: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SessionId,
  jti: '0b0e8a5c-7f0e-4b51-a9a6-7a4f3c6e2d10',
  iat: 1_767_225_600,
  exp: 1_767_225_660,
  email: 'ada@example.com',
  emailVerified: true,
  role: 'user',
  tenantId: null,
  ver: 0,
  user: { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', name: 'Ada' },
  auth_time: 1_767_225_600,
  custom: { plan: 'pro', features: ['a', { b: null }] },
};

const complete: AccessTokenClaims = {
  ...claims,
  tenantId: 'acme',
  fva: 1_767_225_600,
  acl: { set: { allow: [] }, hash: 'y' },
};

describe('the payload of an access token', () => {
  it.each([claims, complete])('contains the claims, and yields them again when it is parsed', (original) => {
    expect(fromPayload(toWire(toPayload(original)))).toEqual(original);
  });

  it('contains the custom claims beside the registered ones, without a member of their own', () => {
    expect(toPayload(claims)).toMatchObject({ sub: claims.sub, plan: 'pro', features: ['a', { b: null }] });
    expect(Object.keys(toPayload(claims))).not.toContain('custom');
    expect(Object.keys(toPayload(claims))).not.toContain('fva');
  });

  it('can contain a custom claim that is called custom', () => {
    const original = { ...claims, custom: { custom: { plan: 'pro' } } };
    expect(fromPayload(toWire(toPayload(original)))).toEqual(original);
  });

  it.each([...registeredClaimNames])('never lets a custom claim replace or add %s', (name) => {
    const payload = toPayload({ ...claims, custom: { [name]: 'evil', plan: 'pro' } });
    expect(payload).toEqual(toPayload({ ...claims, custom: { plan: 'pro' } }));
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'is refused with the key %s in a custom claim, however deep',
    (key) => {
      const text = JSON.stringify(toPayload(claims));
      for (const planted of [`"${key}":1`, `"team":{"${key}":{"role":"admin"}}`, `"teams":[[{"${key}":1}]]`]) {
        expect(fromPayload(JSON.parse(text.replace('{', `{${planted},`)))).toBeNull();
      }
    },
  );

  it.each(Object.keys(toPayload(claims)).filter((name) => registeredClaimNames.has(name)))(
    'is refused without %s, and with one of another type',
    (name) => {
      const payload = toWire(toPayload(complete));
      for (const value of [undefined, ['x'], Number.NaN]) expect(fromPayload({ ...payload, [name]: value })).toBeNull();
    },
  );

  it.each([
    ['aud', ['https://app.example.com']],
    ['sub', ''],
    ['sid', { toString: 'x' }],
    ['iat', '1767225600'],
    ['exp', 1_767_225_660.5],
    ['exp', -1],
    ['exp', 1e300],
    ['exp', null],
    ['emailVerified', 'true'],
    ['emailVerified', 1],
    ['tenantId', 7],
    ['ver', '0'],
    ['user', null],
    ['user', ['x']],
    ['user', 'x'],
    ['fva', '1767225600'],
    ['fva', null],
    ['acl', null],
    ['acl', 'y'],
    ['acl', { set: {} }],
    ['acl', { set: {}, hash: 1 }],
    ['acl', { hash: 'y' }],
    ['acl', { hash: 'y', set: null }],
    ['acl', { hash: 'y', overflow: false }],
  ])('is refused if %s is %j', (name, value) => {
    expect(fromPayload({ ...toWire(toPayload(complete)), [name]: value })).toBeNull();
  });
});

function toWire(payload: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(payload));
}
