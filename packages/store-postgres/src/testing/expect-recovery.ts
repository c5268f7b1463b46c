import type { NewSession, NewUser, SessionId, Stores, UserId } from '@x/store';
import { expect, vi } from 'vitest';
import { startStopwatch, succeedWithin } from '../../../../tooling/stopwatch.ts';
import type { FaultyNetwork } from './faulty-network.ts';

/** How long the stores may take to serve again once a fault is over. */
const recoveredWithinMs = 2000;

/** Expects that the stores serve and hear of revocations again, both soon and without anybody's help. */
export async function expectRecovery(network: FaultyNetwork): Promise<void> {
  await Promise.all([expectServes(network.stores), expectHearsRevocations(network)]);
}

/** Expects that the stores serve again soon, and that every connection that they have left is a good one. */
export async function expectServes(stores: Stores): Promise<void> {
  const name = `recovered-${nextId()}`;
  await recover(() => stores.transaction(async (inside) => inside.counters.add(name, 1)));
  await Promise.all(Array.from({ length: 20 }, async () => stores.counters.add(name, 1)));
  expect(await stores.counters.read(name)).toBeGreaterThanOrEqual(21);
  await stores.ping();
}

/** Expects that the stores hear soon of what another process revokes. */
export async function expectHearsRevocations({ revoked, other }: FaultyNetwork): Promise<void> {
  const userId = nextId() as UserId;
  await other.users.create(userOf(userId));
  await recover(async () => {
    const id = nextId() as SessionId;
    await other.sessions.create(sessionOf(id, userId), { maxActive: 1000 });
    await other.sessions.revoke(id);
    await vi.waitFor(() => expect(revoked).toContain(id), { timeout: 100, interval: 5 });
  });
}

function recover(attempt: () => Promise<unknown>): Promise<void> {
  return succeedWithin(recoveredWithinMs, startStopwatch(), attempt);
}

let made = 0;

function nextId(): string {
  made += 1;
  return `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
}

function userOf(id: UserId): NewUser {
  const proof = { emailVerified: false, emailProvenAt: null, passwordHash: null };
  return { id, email: `${id}@example.com`, loginEmail: null, ...proof, role: 'user', tenantId: null, fields: {} };
}

function sessionOf(id: SessionId, userId: UserId): NewSession {
  const from = { ipAddress: null, userAgent: null };
  const proof = { secondFactorAt: null, authenticatedAt: new Date(0), authenticatedBy: 'password' } as const;
  const expiresAt = new Date('2027-01-01T00:00:00.000Z');
  return { id, userId, refreshTokenHash: `${id}.x`, refreshSalt: 'x', ...from, ...proof, expiresAt };
}
