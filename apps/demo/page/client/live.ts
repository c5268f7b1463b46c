import { followLive } from '@x/client/live';
import { cache, client } from './client.ts';

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
  onAccess() {
    last = { of: 'access', at: new Date() };
    cache.invalidate(['invitations', 'links', 'members', 'organizations', 'plan', 'projects', 'roles', 'tasks']);
  },
});
