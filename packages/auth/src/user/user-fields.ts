/** Names reserved for auth: sign-up can't set them, and an app can't declare them. */
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
