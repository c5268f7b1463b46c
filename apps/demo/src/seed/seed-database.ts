import type { ActionTools } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import type { Server } from '@x/server';
import type { TransactionStores, UserRecord } from '@x/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedOrganization } from './seed-organization.ts';
import { seedAnnouncement, seedRecords } from './seed-records.ts';

/** The accounts of a new database: an owner, and a member of her organization. */
export const seededLogins = {
  emails: ['ada@tracker.example', 'grace@tracker.example'],
  password: 'correct horse battery',
} as const;

/**
 * Fills a new database; a start that was interrupted is completed by the next one. If many processes start at once on a
 * slow machine, one may have to wait for the others longer than the database allows.
 */
export async function seedDatabase(server: Server): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await seedOnce(server);
    } catch (error) {
      const isBusy = error instanceof CodedError && error.code === 'SERVICE_UNAVAILABLE';
      if (!isBusy || attempt === maxAttempts) throw error;
      await sleep(500);
    }
  }
}

const maxAttempts = 10;

const lastPart = 'announcement';

async function seedOnce(server: Server): Promise<void> {
  if (await isDone(server.stores, lastPart)) return;
  const [ada, grace] = [await seedUser(server, 0), await seedUser(server, 1)];
  if (!ada?.tenantId || !grace) return;
  const { tenantId } = ada;
  await once(server, ada, 'organization', (tools) =>
    seedOrganization(tools, { id: tenantId, owner: ada, member: grace }),
  );
  for (const user of [ada, { ...grace, tenantId }]) await once(server, user, `records of ${user.email}`, seedRecords);
  await once(server, ada, lastPart, seedAnnouncement);
}

/** Finds the account, or creates it. */
async function seedUser({ auth, stores }: Server, index: 0 | 1): Promise<UserRecord | null> {
  const { emails, password } = seededLogins;
  const email = emails[index];
  const found = await stores.users.findByLoginEmail(email);
  if (found) return found;
  const signedUp = await auth.api.signUp({ email, password });
  if (!signedUp.ok && signedUp.error.code === 'SERVICE_UNAVAILABLE') unwrap(signedUp);
  // Otherwise another process was faster: it has created it by now, or continues alone.
  return stores.users.findByLoginEmail(email);
}

/** Runs a part atomically and only once, whatever people delete of it later. */
async function once(
  { entities }: Server,
  { id: userId, tenantId, role }: UserRecord,
  part: string,
  work: (tools: ActionTools) => Promise<void>,
): Promise<void> {
  await entities.transaction({ userId, tenantId, role, secondFactorAt: null }, async (tools) => {
    const { stores } = tools;
    await stores.lock(toMark(part));
    if (await isDone(stores, part)) return;
    await work(tools);
    await stores.counters.add(toMark(part), 1);
  });
}

async function isDone({ counters }: Pick<TransactionStores, 'counters'>, part: string): Promise<boolean> {
  return (await counters.read(toMark(part))) > 0;
}

function toMark(part: string): string {
  return `development.seed: ${part}`;
}
