import type { SessionId } from '@x/store';
import { ManualClock } from '@x/store/testing';
import { describe, expect, it } from 'vitest';
import { createRevokedSessions } from './revoked-sessions.ts';

const id = (name: string): SessionId => name as SessionId;

describe('createRevokedSessions', () => {
  it('refuses every JWT of a revoked session', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000 });
    revoked.add(id('a'));
    expect(revoked.has(id('a'), 0)).toBe(true);
    expect(revoked.has(id('a'), 1_000_000)).toBe(true);
    expect(revoked.has(id('b'), 0)).toBe(false);
  });

  it('refuses JWTs below the lowest good ver, which never sinks', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000 });
    revoked.add(id('a'), 3);
    revoked.add(id('a'), 2);
    expect(revoked.has(id('a'), 2)).toBe(true);
    expect(revoked.has(id('a'), 3)).toBe(false);
  });

  it('forgets an entry once no JWT of its time can be good', () => {
    const clock = new ManualClock();
    const revoked = createRevokedSessions({ clock, ttlMs: 60_000 });
    revoked.add(id('a'));
    clock.advance(59_999);
    revoked.add(id('b'));
    expect(revoked.has(id('a'), 0)).toBe(true);
    clock.advance(1);
    revoked.add(id('c'));
    expect(revoked.has(id('a'), 0)).toBe(false);
    expect(revoked.has(id('b'), 0)).toBe(true);
  });

  it('keeps no more than its bound', () => {
    const revoked = createRevokedSessions({ clock: new ManualClock(), ttlMs: 60_000, maxEntries: 2 });
    for (const name of ['a', 'b', 'c']) revoked.add(id(name));
    expect(['a', 'b', 'c'].map((name) => revoked.has(id(name), 0))).toEqual([false, true, true]);
  });
});
