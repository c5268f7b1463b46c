import { systemClock, type UserId } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { companies } from './support/companies.ts';

it.each(['join', 'accept'] as const)('lets a user %s while their account is locked to be deleted', async (action) => {
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  const { url } = database;
  const { stores, sent, join } = await companies((entities) =>
    createPostgresStores({ patience: patient, clock: systemClock, url, entities }),
  );
  const [{ person: owner }, { person: guest, email }] = [await join('owner'), await join('guest')];
  const { id } = await owner.create('/api/organizations', { name: 'Acme' });
  await owner.post(`/api/organizations/${id}/invite`, { email, role: 'member' });
  await expect.poll(() => sent.length).toBe(1);
  const { body } = await guest.get('/api/invitations');
  const invitationId = (body as { items: readonly { id: string }[] }).items[0]?.id;
  const input = action === 'join' ? { token: sent[0]?.token } : { invitationId };

  const answer = await stores.transaction(async (inside) => {
    await inside.users.lock(guest.id as UserId);
    const pending = guest.post(`/api/invitations/${action}`, input);
    await waitUntilBlocked(url);
    await inside.lock(`grants:${guest.id}`);
    return { pending };
  });
  expect((await answer.pending).status).toBe(200);
});

/** Waits until a statement waits for a lock of another transaction. */
async function waitUntilBlocked(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await vi.waitFor(
    async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    },
    { timeout: 30_000, interval: 20 },
  );
  await client.end();
}
