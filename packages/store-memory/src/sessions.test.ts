import { ManualClock } from '@x/store/testing';
import type { SessionId, UserId } from '@x/store';
import { expect, test } from 'vitest';
import { createMemoryDatabase } from './memory-database.ts';
import { openMemoryStores } from './open-memory-stores.ts';

// No contract disables a user yet, so the contract suites can't.
test('a disabled user gets no session', async () => {
  const clock = new ManualClock();
  const { tables, lock } = createMemoryDatabase();
  const stores = openMemoryStores({ tables, lock }, clock);
  const user = await stores.users.create({
    id: '00000000-0000-4000-8000-000000000001' as UserId,
    email: 'person@example.com',
    loginEmail: 'person@example.com',
    emailVerified: true,
    emailProvenAt: null,
    passwordHash: 'hash',
    role: 'user',
    tenantId: null,
    fields: {},
  });
  expect(user).not.toBeNull();
  if (user) tables.users.put({ ...user, disabledAt: clock.now() });
  const session = {
    id: '00000000-0000-4000-8000-000000000002' as SessionId,
    userId: '00000000-0000-4000-8000-000000000001' as UserId,
    refreshTokenHash: 'token',
    refreshSalt: 'salt',
    ipAddress: null,
    userAgent: null,
    tenantId: null,
    secondFactorAt: null,
    expiresAt: new Date('2026-02-01T00:00:00.000Z'),
  };
  expect(await stores.sessions.create(session, { maxActive: 50, expectedPasswordHash: 'hash' })).toBeNull();
  expect(await stores.sessions.create(session, { maxActive: 50 })).toBeNull();
  await stores.close();
});
