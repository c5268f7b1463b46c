import type { AuthHooks } from '@x/auth';
import type { Where } from '@x/store';

/** Deletes records that only a user whose account was deleted could see. */
export const removePersonalRecords: AuthHooks['onUserDeleted'] = async ({ id }, { stores: { entities } }) => {
  const own: Where = { type: 'compare', column: 'ownerId', operator: 'eq', value: id };
  const unshared: Where = { type: 'compare', column: 'shared', operator: 'eq', value: false };
  for (const entity of ['notes', 'vault']) await entities.deleteAll(entity, own);
  await entities.deleteAll('documents', { type: 'and', operands: [own, unshared] });
};
