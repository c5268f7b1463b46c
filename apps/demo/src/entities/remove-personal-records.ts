import type { AuthHooks } from '@x/auth';
import { and, eq } from '@x/store/where';

/** Deletes records that only a user whose account was deleted could see. */
export const removePersonalRecords: AuthHooks['onUserDeleted'] = async ({ id }, { stores: { entities } }) => {
  const own = eq('ownerId', id);
  const unshared = eq('shared', false);
  for (const entity of ['notes', 'vault']) await entities.deleteAll(entity, own);
  await entities.deleteAll('documents', and(own, unshared));
};
