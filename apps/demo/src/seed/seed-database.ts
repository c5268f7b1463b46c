import type { Result } from '@x/errors';
import type { Server } from '@x/server';
import type { UserRecord } from '@x/store';
import { announcements } from '../entities/announcements.ts';
import { documents } from '../entities/documents.ts';
import { notes } from '../entities/notes.ts';
import { vault } from '../entities/vault.ts';

/** Whom a new database begins with, in one tenant. */
export const seededLogins = {
  emails: ['ada@tracker.example', 'grace@tracker.example'],
  password: 'correct horse battery',
} as const;

/** Fills a database that has no seeded accounts yet. */
export async function seedDatabase(server: Server): Promise<void> {
  const ada = await seedUser(server, 0);
  // Another process, or an earlier start, was first, and does the rest.
  const grace = ada && (await seedUser(server, 1));
  if (!grace) return;
  await server.stores.users.setTenant(grace.id, ada.tenantId);
  for (const user of [ada, { ...grace, tenantId: ada.tenantId }]) await seedRecords(server, user);
  await seedAnnouncement(server);
}

async function seedUser({ auth, stores }: Server, index: 0 | 1): Promise<UserRecord | null> {
  const { emails, password } = seededLogins;
  const email = emails[index];
  if (await stores.users.findByLoginEmail(email)) return null;
  const signedUp = await auth.api.signUp({ email, password });
  return signedUp.ok ? stores.users.findByLoginEmail(email) : null;
}

async function seedRecords({ entities }: Server, { id: userId, tenantId, role, email }: UserRecord): Promise<void> {
  const own = entities.as({ userId, tenantId, role, secondFactorAt: null });
  required(await own.create(notes, { title: 'Welcome', body: `This note is for ${email} alone.`, pinned: true }));
  required(await own.create(notes, { title: 'Groceries', body: 'Tea, bread, apples.' }));
  required(await own.create(documents, { title: 'Road map', body: 'What comes next.', shared: true }));
  required(await own.create(documents, { title: 'Draft', body: 'Not ready for others.' }));
  // Nobody has given a second factor yet.
  const system = entities.asSystem({ userId, tenantId });
  required(await system.create(vault, { label: 'Safe', secret: '36-24-36' }));
}

async function seedAnnouncement({ entities }: Server): Promise<void> {
  required(
    await entities.asSystem().create(announcements, { title: 'Tracker is here', body: 'Sign up and look around.' }),
  );
}

function required(outcome: Result<unknown>): void {
  if (!outcome.ok) throw new Error(`The database can not be seeded: ${outcome.error.message}`);
}
