import type { ActionTools } from '@x/entity';
import { unwrap } from '@x/errors';
import { announcements } from '../entities/announcements.ts';
import { documents } from '../entities/documents.ts';
import { notes } from '../entities/notes.ts';
import { vault } from '../entities/vault.ts';

/** Gives a user records of their own. */
export async function seedRecords({ entities, system }: ActionTools): Promise<void> {
  unwrap(await entities.create(notes, { title: 'Welcome', body: 'This note is for you alone.', pinned: true }));
  unwrap(await entities.create(notes, { title: 'Groceries', body: 'Tea, bread, apples.' }));
  unwrap(await entities.create(documents, { title: 'Road map', body: 'What comes next.', shared: true }));
  unwrap(await entities.create(documents, { title: 'Draft', body: 'Not ready for others.' }));
  // Nobody has verified a second factor yet.
  unwrap(await system.create(vault, { label: 'Safe', secret: '36-24-36' }));
}

/** Publishes an announcement. */
export async function seedAnnouncement({ system }: ActionTools): Promise<void> {
  unwrap(await system.create(announcements, { title: 'Tracker is here', body: 'Sign up and look around.' }));
}
