import type { JsonObject, UserRecord } from '@x/store';
import { isDeepStrictEqual } from 'node:util';
import type { AuthContext } from '../auth-context.ts';
import { toUser } from '../user/to-user.ts';

/**
 * Asks the app for a user's further claims. This runs the app's code, so it belongs before a transaction, where
 * nobody waits for it and nothing has to be undone.
 *
 * @throws TypeError where the app returned no object, and whatever its function throws
 */
export async function customClaims(
  { claims, config }: Pick<AuthContext, 'claims' | 'config'>,
  user: UserRecord,
): Promise<JsonObject> {
  const custom: unknown = await claims(toUser(user, config));
  if (isObject(custom)) return custom;
  throw new TypeError('claims(user) has to return an object.');
}

/** Returns prepared claims, or asks again in the rare case that the user was changed since they were prepared. */
export async function currentClaims(
  auth: Pick<AuthContext, 'claims' | 'config'>,
  user: UserRecord,
  prepared: { readonly user: UserRecord; readonly custom: JsonObject },
): Promise<JsonObject> {
  return isDeepStrictEqual(identity(user), identity(prepared.user)) ? prepared.custom : customClaims(auth, user);
}

/** Engines keep the members of stored fields in an order of their own. */
function identity({ id, email, emailVerified, role, tenantId, fields }: UserRecord): object {
  return { id, email, emailVerified, role, tenantId, fields };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
