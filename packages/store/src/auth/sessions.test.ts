import { expect, it } from 'vitest';
import type { SessionId } from '../values.ts';
import { sessionIdOfHash, toRefreshTokenHash } from './sessions.ts';

const id = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SessionId;

it('builds a hash from the id of its session, a dot and the digest', () => {
  const hash = '6ba7b810-9dad-11d1-80b4-00c04fd430c8.nwprTR3SIoJ6MwiXm3IcMQcEkfAp5_FMiRLP5kryTFg';
  expect(toRefreshTokenHash(id, 'nwprTR3SIoJ6MwiXm3IcMQcEkfAp5_FMiRLP5kryTFg')).toBe(hash);
});

it('finds the session that a hash names, for any digest', () => {
  for (const digest of ['', ' ', '.', '..', `${id}.`, `.${id}`, "'; drop table users; --", 'e\u0301', '😀', '\u0000']) {
    expect(sessionIdOfHash(toRefreshTokenHash(id, digest))).toBe(id);
  }
});

it.each([
  ['nothing', ''],
  ['a word', 'null'],
  ['a digest alone', 'nwprTR3SIoJ6MwiXm3IcMQcEkfAp5_FMiRLP5kryTFg'],
  ['a digest behind a dot', '.nwprTR3SIoJ6MwiXm3IcMQcEkfAp5_FMiRLP5kryTFg'],
  ['an id alone', id],
  ['10 KB', 'x'.repeat(10_240)],
])('finds no session in %s', (_, hash) => {
  expect(sessionIdOfHash(hash)).toBeNull();
});
