/** Names that sign-up can't set and that an app can't declare: they are ours. */
export const reservedUserFields: ReadonlySet<string> = new Set([
  'id',
  'email',
  'password',
  'emailVerified',
  'role',
  'tenantId',
  'createdAt',
  'updatedAt',
]);
