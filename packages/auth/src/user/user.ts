/** A user as the app and its clients see one, including the fields that the app declared public. */
export interface User {
  readonly id: string;
  /** The address in canonical form. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: string;
  readonly tenantId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly [field: string]: unknown;
}
