import type { Revocation, SessionId } from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { describe, expect, it } from 'vitest';
import { createRevokedSessions } from './revoked-sessions.ts';

const id = (name: string): SessionId => name as SessionId;
const over = (name: string): Revocation => ({ sessionId: id(name), lowestVer: null });

describe('createRevokedSessions', () => {
  it('refuses every JWT of a revoked session', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000 });
    revoked.add(over('a'));
    expect(revoked.has(id('a'), 0)).toBe(true);
    expect(revoked.has(id('a'), 1_000_000)).toBe(true);
    expect(revoked.has(id('b'), 0)).toBe(false);
  });

  it('refuses JWTs below the lowest valid ver, which never decreases', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000 });
    revoked.add({ sessionId: id('a'), lowestVer: 3 });
    revoked.add({ sessionId: id('a'), lowestVer: 2 });
    expect(revoked.has(id('a'), 2)).toBe(true);
    expect(revoked.has(id('a'), 3)).toBe(false);
  });

  it('forgets an entry once no JWT of its time can be valid', () => {
    const clock = new ManualClock();
    const revoked = createRevokedSessions({ clock, ttlMs: 60_000 });
    revoked.add(over('a'));
    clock.advance(69_999);
    revoked.add(over('b'));
    expect(revoked.has(id('a'), 0)).toBe(true);
    clock.advance(1);
    revoked.add(over('c'));
    expect(revoked.has(id('a'), 0)).toBe(false);
    expect(revoked.has(id('b'), 0)).toBe(true);
  });

  it('keeps no more entries than its limit', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000, maxEntries: 2 });
    for (const name of ['a', 'b', 'c']) revoked.add(over(name));
    expect(['a', 'b', 'c'].map((name) => revoked.has(id(name), 0))).toEqual([false, true, true]);
  });
});
