import type { SessionId, Stores, UserId } from '@x/store';
import { expect, vi } from 'vitest';
import type { FaultyNetwork } from './faulty-network.ts';
import { nextId, sessionOf, userOf } from './sample-accounts.ts';

/** Expects that the stores serve and receive revocations again, both without an operator's help. */
export async function expectRecovery(network: FaultyNetwork): Promise<void> {
  await Promise.all([expectServes(network.stores), expectReceivesRevocations(network)]);
}

/** Expects that the stores serve again, and that all of their connections work. */
export async function expectServes(stores: Stores): Promise<void> {
  const name = `recovered-${nextId()}`;
  await recover(() => stores.transaction(async (inside) => inside.counters.add(name, 1)));
  await Promise.all(Array.from({ length: 20 }, async () => stores.counters.add(name, 1)));
  expect(await stores.counters.read(name)).toBeGreaterThanOrEqual(21);
  await stores.ping();
}

/** Expects that the stores receive a revocation by another process. */
export async function expectReceivesRevocations({ revoked, other }: FaultyNetwork): Promise<void> {
  const userId = nextId() as UserId;
  await other.users.create(userOf(userId));
  const ids: SessionId[] = [];
  const hasReceived = (): boolean => ids.some((id) => revoked.has(id));
  await recover(async () => {
    const id = nextId() as SessionId;
    await other.sessions.create(sessionOf(id, userId), { maxActive: 1000 });
    ids.push(id);
    await other.sessions.revoke(id);
    // If no connection listens yet, a later revocation may arrive first; on a busy machine this one arrives late.
    await vi.waitFor(() => expect(hasReceived()).toBe(true), { timeout: 100, interval: 5 });
  });
}

function recover(attempt: () => Promise<unknown>): Promise<unknown> {
  return vi.waitFor(attempt, { timeout: 30_000, interval: 20 });
}
