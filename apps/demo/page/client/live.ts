import { followLive } from '@x/client/live';
import { cache, client } from './client.ts';
import { isOwnAccess } from './plans.ts';

/** The entities whose changes are followed. */
export const followed = [
  'announcements',
  'comments',
  'documents',
  'notes',
  'organizations',
  'projects',
  'tasks',
] as const;

/** What this tab was told last, for the developer drawer: of which entity, or of access. */
export interface LastNotice {
  readonly of: (typeof followed)[number] | 'access';
  readonly at: Date;
}

let last: LastNotice | null = null;

/** Returns the last notice; null before the first, and in a tab that hears through another one. */
export function getLastNotice(): LastNotice | null {
  return last;
}

/** Shows what others change, on any device. */
followLive(client, {
  entities: followed,
  onChange(entity, updatedAt) {
    last = { of: entity, at: new Date() };
    cache.invalidate([entity], updatedAt);
  },
  async onAccess(hash) {
    last = { of: 'access', at: new Date() };
    if (await isOwnAccess(hash)) return;
    // A change of who belongs to an organization is a change of the list of organizations, too.
    cache.invalidate(['invitations', 'links', 'members', 'plan', 'projects', 'roles', 'tasks']);
  },
});
