import { describe, expect, it } from 'vitest';
import type { AuthConfig } from '../config/auth-config.ts';
import { readCookie, readScopedCookie } from '../request/headers.ts';
import { clearedSessionCookies, sessionCookies } from './cookies.ts';

const session: AuthConfig['session'] = {
  strategy: 'jwt',
  ttl: 60_000,
  refreshTtl: 604_800_000,
  refreshGrace: 10_000,
  algorithm: 'RS256',
  cookie: { secure: true, sameSite: 'lax', refreshPath: '/api/auth', prefix: 'app' },
};
const tokens = { accessToken: 'jwt', refreshToken: 'secret', refreshMaxAgeSeconds: 604_800 };

describe('session cookies', () => {
  it('are HttpOnly, Secure and Lax, without Domain, each with its path and age, and no refresh token elsewhere', () => {
    expect(sessionCookies({ session, basePath: '/api/auth' }, tokens)).toEqual([
      'app.sid=jwt; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
      'app.ref=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      'app.ref=; Max-Age=0; Path=/api; HttpOnly; Secure; SameSite=Lax',
      'app.ref=secret; Max-Age=604800; Path=/api/auth; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it('are cleared with the same attributes', () => {
    expect(clearedSessionCookies({ session, basePath: '/api/auth' })).toEqual([
      'app.sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      'app.ref=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      'app.ref=; Max-Age=0; Path=/api; HttpOnly; Secure; SameSite=Lax',
      'app.ref=; Max-Age=0; Path=/api/auth; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it('are refused if they are so large that browsers would drop them', () => {
    expect(() =>
      sessionCookies({ session, basePath: '/api/auth' }, { ...tokens, accessToken: 'x'.repeat(4000) }),
    ).not.toThrow();
    expect(() =>
      sessionCookies({ session, basePath: '/api/auth' }, { ...tokens, accessToken: 'x'.repeat(4096) }),
    ).toThrow(RangeError);
  });

  it('follow the configuration', () => {
    const cookie = { secure: false, sameSite: 'strict', refreshPath: '/api', prefix: 'tracker' } as const;
    expect(clearedSessionCookies({ session: { ...session, cookie }, basePath: '/api/auth' })).toEqual([
      'tracker.sid=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
      'tracker.ref=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
      'tracker.ref=; Max-Age=0; Path=/api/auth; HttpOnly; SameSite=Strict',
      'tracker.ref=; Max-Age=0; Path=/api; HttpOnly; SameSite=Strict',
    ]);
  });
});

describe('session cookies of a whole host', () => {
  it('have the path / and are expired nowhere else', () => {
    const cookie = { secure: true, sameSite: 'lax', refreshPath: '/', prefix: '__Host-app' } as const;
    expect(clearedSessionCookies({ session: { ...session, cookie }, basePath: '/api/auth' })).toEqual([
      '__Host-app.sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-app.ref=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });
});

describe('readCookie', () => {
  const read = (cookie: string): string | null => readCookie(new Headers({ cookie }), 'app.sid');

  it.each([
    ['app.sid=a', 'a'],
    ['x=1; app.sid=a; y=2', 'a'],
    ['x=1;app.sid=a', 'a'],
    ['app.sid = a', 'a'],
    ['\tapp.sid\t=\ta\t', 'a'],
    ['app.sid=\u00a0a', '\u00a0a'],
    ['app.sid=a=b', 'a=b'],
    ['app.sid=a; app.sid=a', 'a'],
  ])('reads %j', (cookie, value) => {
    expect(read(cookie)).toBe(value);
  });

  it.each(['', 'app.sidx=a', 'xapp.sid=a', 'APP.SID=a', '; ;=', '=app.sid', '\u00a0app.sid=a'])(
    'finds nothing in %j',
    (cookie) => {
      expect(read(cookie)).toBeNull();
    },
  );

  it.each(['app.sid', 'app.sid=', 'app.sid = '])('finds no value in %j', (cookie) => {
    expect(read(cookie)).toBe('');
  });

  it('treats two different values as none', () => {
    expect(read('app.sid=a; app.sid=b')).toBe('');
    expect(read('app.sid=a; app.sid=')).toBe('');
    expect(read('app.sid=a; app.sid')).toBe('');
    expect(readScopedCookie(new Headers({ cookie: 'app.ref=a; app.ref=b' }), 'app.ref')).toBeNull();
  });

  it('ignores empty values of a cookie that is expired on other paths', () => {
    expect(readScopedCookie(new Headers({ cookie: 'app.ref=; app.ref=a; app.ref=' }), 'app.ref')).toBe('a');
    expect(readScopedCookie(new Headers({ cookie: 'app.ref=' }), 'app.ref')).toBeNull();
  });
});
