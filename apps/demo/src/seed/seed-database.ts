import type { ActionTools } from '@x/entity';
import type { Server } from '@x/server';
import type { UserRecord } from '@x/store';
import { seedOrganization } from './seed-organization.ts';
import { seedAnnouncement, seedRecords } from './seed-records.ts';

/** Whom a new database begins with: an owner, and a member of her organization. */
export const seededLogins = {
  emails: ['ada@tracker.example', 'grace@tracker.example'],
  password: 'correct horse battery',
} as const;

/** Fills a database that was not filled yet; a start that was ended halfway is completed by the next one. */
export async function seedDatabase(server: Server): Promise<void> {
  const [ada, grace] = [await seedUser(server, 0), await seedUser(server, 1)];
  if (!ada?.tenantId || !grace) return;
  const { tenantId } = ada;
  await once(server, ada, 'organization', (tools) =>
    seedOrganization(tools, { id: tenantId, owner: ada, member: grace }),
  );
  for (const user of [ada, { ...grace, tenantId }]) await once(server, user, `records of ${user.email}`, seedRecords);
  await once(server, ada, 'announcement', seedAnnouncement);
}

/** Finds the account, or creates it. */
async function seedUser({ auth, stores }: Server, index: 0 | 1): Promise<UserRecord | null> {
  const { emails, password } = seededLogins;
  const email = emails[index];
  // Another process may be as fast, and then has created it.
  if (!(await stores.users.findByLoginEmail(email))) await auth.api.signUp({ email, password });
  return stores.users.findByLoginEmail(email);
}

/** Does a part all at once and never again, whatever people delete of it. */
async function once(
  { entities }: Server,
  { id: userId, tenantId, role }: UserRecord,
  part: string,
  work: (tools: ActionTools) => Promise<void>,
): Promise<void> {
  const marker = `development.seed: ${part}`;
  await entities.transaction({ userId, tenantId, role, secondFactorAt: null }, async (tools) => {
    await tools.stores.takeTurn(marker);
    if ((await tools.stores.counters.read(marker)) > 0) return;
    await work(tools);
    await tools.stores.counters.add(marker, 1);
  });
}
