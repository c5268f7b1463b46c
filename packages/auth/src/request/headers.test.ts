import { describe, expect, it } from 'vitest';
import { bearerToken } from './headers.ts';

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

  it.each(['a', ' ', 'Bearer ', '=', 'a=', '.', '\t'])('takes no noticeable time for 1 MiB of %j', (part) => {
    const startedAt = performance.now();
    for (const end of ['', '!', '=', ' ']) tokenOf(`Bearer ${part.repeat(2 ** 20 / part.length)}${end}`);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
