import { describe, expect, it } from 'vitest';
import { bearerToken, withSetCookies } from './headers.ts';

function tokenOf(authorization: string): string | null {
  return bearerToken(new Headers({ authorization }));
}

describe('bearerToken', () => {
  it.each([
    ['Bearer a.b.c', 'a.b.c'],
    ['bearer a.b.c', 'a.b.c'],
    ['BEARER a.b.c', 'a.b.c'],
    ['Bearer   a.b.c', 'a.b.c'],
    [' \tBearer a.b.c\t ', 'a.b.c'],
    ['Bearer aZ09-._~+/==', 'aZ09-._~+/=='],
    ['Bearer Bearer', 'Bearer'],
  ])('reads %j as %s', (authorization, token) => {
    expect(tokenOf(authorization)).toBe(token);
  });

  it.each([
    ...[
      '',
      'Bearer',
      'Bearer ',
      'Bearera.b.c',
      'a.b.c',
      'Basic a.b.c',
      'Bearer: a.b.c',
      'Bearer=a.b.c',
      'XBearer a.b.c',
    ],
    ...['Bearer a b', 'Bearer a,b', 'Bearer a, Bearer b', 'Bearer a,', 'Bearer ,a', 'Bearer a;b', 'Basic x, Bearer a'],
    ...['Bearer\ta', 'Bearer \ta', 'Bearer a\tb', 'Bearer\u00a0a', 'Bearer a\u00a0', 'Bearer "a"', "Bearer 'a'"],
    ...[
      'Bearer a=b',
      'Bearer =',
      'Bearer a%20',
      'Bearer caf\u00e9',
      'Bearer \u00ff',
      'Bearer <a>',
      'Bearer {"a":1}',
      'Bearer a\\b',
    ],
  ])('finds no token in %j', (authorization) => {
    expect(tokenOf(authorization)).toBeNull();
  });

  it('finds no token if the header is absent or sent twice', () => {
    expect(bearerToken(new Headers())).toBeNull();
    const headers = new Headers({ authorization: 'Bearer a' });
    headers.append('authorization', 'Bearer a');
    expect(bearerToken(headers)).toBeNull();
  });
});

describe('withSetCookies', () => {
  const after = (cookie: string, setCookie: readonly string[]) =>
    withSetCookies(new Headers({ cookie, accept: '*/*' }), setCookie).get('cookie');

  it('replaces the cookies that are set, and keeps all others', () => {
    expect(after('a=1; app.sid=old;b=2;  app.ref=old', ['app.sid=new; Path=/', 'app.ref=other; Path=/'])).toBe(
      'a=1; b=2; app.sid=new; app.ref=other',
    );
    expect(after('app.sidecar=1; app.sid=x; app.sid=y', ['app.sid=new'])).toBe('app.sidecar=1; app.sid=new');
    expect(after('a=1', [])).toBe('a=1');
    expect(after('a=1', ['theme=ZGFyaw==; Path=/'])).toBe('a=1; theme=ZGFyaw==');
  });

  it('leaves out those that are cleared, and the header without any', () => {
    expect(after('a=1; app.sid=old', ['app.sid=; Max-Age=0'])).toBe('a=1');
    expect(after('app.sid=old', ['app.sid=; Max-Age=0'])).toBeNull();
  });

  it('changes a copy', () => {
    const headers = new Headers({ cookie: 'a=1', accept: '*/*' });
    expect(withSetCookies(headers, ['a=2']).get('accept')).toBe('*/*');
    expect(headers.get('cookie')).toBe('a=1');
  });
});
