import { followLive } from '@x/client/live';
import { cache, client } from './client.ts';

/** Shows what others change, on any device. */
followLive(client, {
  entities: ['announcements', 'comments', 'documents', 'notes', 'organizations', 'projects', 'tasks'],
  onChange: (entity) => cache.invalidate([entity]),
  onAccess: () => cache.invalidate(['invitations', 'members', 'organizations', 'plan', 'projects', 'tasks']),
});
