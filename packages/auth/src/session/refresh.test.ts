import { type SessionId, type SessionRecord, toRefreshTokenHash, type UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { evaluateRefresh } from './refresh.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const week = 7 * 86_400_000;
const grace = 10_000;

const id = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SessionId;

/** A session that was rotated three times, the last time at the start. */
const session: SessionRecord = {
  id,
  userId: '5f0c6f6e-58b8-4a44-9d8e-2f1f8f3f2b11' as UserId,
  refreshTokenHash: hashOf(3),
  previousTokenHash: hashOf(2),
  refreshSalt: '',
  generation: 3,
  rotatedAt: new Date(start),
  ipAddress: null,
  userAgent: null,
  tenantId: null,
  secondFactorAt: null,
  authenticatedAt: new Date(start - 60_000),
  authenticatedBy: 'password',
  ver: 0,
  createdAt: new Date(start - 60_000),
  lastActiveAt: new Date(start),
  expiresAt: new Date(start + week),
  revokedAt: null,
};
const fresh: SessionRecord = { ...session, refreshTokenHash: hashOf(0), previousTokenHash: null, generation: 0 };
const revoked: SessionRecord = { ...session, revokedAt: new Date(start) };

describe('evaluateRefresh', () => {
  it.each([
    ['the current token at once', session, 3, 0, 'current'],
    ['the current token much later', session, 3, week - 1, 'current'],
    ['the current token by a clock that is behind', session, 3, -60_000, 'current'],
    ['the first token of a session', fresh, 0, 0, 'current'],
    ['the parent at once', session, 2, 0, 'retried'],
    ['the parent at the last millisecond of the grace', session, 2, grace - 1, 'retried'],
    ['the parent by a clock that is behind', session, 2, -1, 'retried'],
    ['the parent by a clock that is far behind', session, 2, -week, 'retried'],
    ['the parent at the end of the grace', session, 2, grace, 'reused'],
    ['the parent much later', session, 2, week - 1, 'reused'],
    ['the grandparent at once', session, 1, 0, 'reused'],
    ['the grandparent by a clock that is behind', session, 1, -1, 'reused'],
    ['the first of all at once', session, 0, 0, 'reused'],
    ['a child that was never stored', session, 4, 0, 'refused'],
    ['the last generation that there can be', session, 0xffff_ffff, 0, 'refused'],
    ['the current token at the end of the session', session, 3, week, 'refused'],
    ['the parent at the end of the session', session, 2, week, 'refused'],
    ['the grandparent at the end of the session', session, 1, week, 'refused'],
    ['the current token of a revoked session', revoked, 3, 0, 'refused'],
    ['the parent in a revoked session', revoked, 2, 0, 'refused'],
    ['the grandparent in a revoked session', revoked, 1, 0, 'refused'],
  ] as const)('decides correctly about %s', (_title, of, generation, laterMs, decision) => {
    const terms = { now: new Date(start + laterMs), grace };
    expect(evaluateRefresh({ generation, hash: hashOf(generation) }, of, terms)).toBe(decision);
  });

  it('treats another token of the current generation, such as one of an old secret, as reused', () => {
    const token = { generation: 3, hash: toRefreshTokenHash(id, 'x'.repeat(43)) };
    expect(evaluateRefresh(token, session, { now: new Date(start), grace })).toBe('reused');
  });

  it('compares the whole hash', () => {
    const digest = hashOf(3).slice(id.length + 1);
    const others = [digest, toRefreshTokenHash(crypto.randomUUID() as SessionId, digest), toRefreshTokenHash(id, '')];
    for (const hash of ['', ...others, hashOf(3).slice(1), `${hashOf(3)}=`, hashOf(3).toUpperCase()]) {
      expect(evaluateRefresh({ generation: 3, hash }, session, { now: new Date(start), grace })).toBe('reused');
    }
  });

  it('treats the parent as reused at once without a grace period', () => {
    const token = { generation: 2, hash: hashOf(2) };
    expect(evaluateRefresh(token, session, { now: new Date(start), grace: 0 })).toBe('reused');
  });
});

function hashOf(generation: number): string {
  return toRefreshTokenHash(id, `hash-of-generation-${generation}`.padEnd(43, '-'));
}
