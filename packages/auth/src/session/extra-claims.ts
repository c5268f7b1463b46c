import type { JsonObject, SessionRecord, UserRecord } from '@x/store';
import { isDeepStrictEqual } from 'node:util';
import type { ComputedAccessSet } from '../token/access-claim.ts';
import { toUser, withTenantOf } from '../user/user.ts';
import type { SessionDependencies } from './session.ts';

/** What a JWT says about a user besides what auth itself knows. */
export interface ExtraClaims {
  /** What the app's `claims(user)` returned. */
  readonly custom: JsonObject;
  /** Null if the app has none, or it is not known yet. */
  readonly access: ComputedAccessSet | null;
}

/** A user in the tenant of their session, and when a second factor was last verified in it. */
export interface ClaimSubject {
  readonly user: UserRecord;
  readonly secondFactorAt: Date | null;
}

/** Puts a stored user into the tenant of a stored session. */
export function toClaimSubject(
  session: Pick<SessionRecord, 'tenantId' | 'secondFactorAt'>,
  user: UserRecord,
): ClaimSubject {
  return { user: withTenantOf(session, user), secondFactorAt: session.secondFactorAt };
}

type ClaimDependencies = Pick<SessionDependencies, 'claims' | 'config' | 'accessSet' | 'events'>;

/**
 * Gets a user's custom claims and access set. This runs the app's code and reads stores, so call it before a
 * transaction: there nobody waits for it, and nothing has to be rolled back.
 *
 * @throws TypeError if the app did not return an object; whatever the app's function or a store throws
 */
export async function extraClaims(deps: ClaimDependencies, subject: ClaimSubject): Promise<ExtraClaims> {
  const [custom, access] = await Promise.all([customClaims(deps, subject), accessSetOf(deps, subject)]);
  return { custom, access };
}

/** Gets the claims of a user whom the app's hooks have yet to set up; their access set is not known yet. */
export async function claimsBeforeHooks(deps: ClaimDependencies, subject: ClaimSubject): Promise<ExtraClaims> {
  return { custom: await customClaims(deps, subject), access: null };
}

/**
 * Returns the prepared claims, or gets new ones if the user has changed since. The step has already been taken, so if
 * the access set can't be computed, the JWT simply omits it.
 */
export async function currentClaims(
  deps: ClaimDependencies,
  subject: ClaimSubject,
  prepared: { readonly user: UserRecord; readonly claims: ExtraClaims },
): Promise<ExtraClaims> {
  const isSame = isDeepStrictEqual(toComparable(subject.user), toComparable(prepared.user));
  const { custom, access } = prepared.claims;
  if (isSame && (access || !deps.accessSet)) return prepared.claims;
  const [freshCustom, freshAccess] = await Promise.all([
    isSame ? custom : customClaims(deps, subject),
    accessSetOf(deps, subject).catch((err: unknown) => {
      deps.events.logger.error({ err }, 'the access set of a JWT could not be computed');
      return null;
    }),
  ]);
  return { custom: freshCustom, access: freshAccess };
}

async function customClaims({ claims, config }: ClaimDependencies, { user }: ClaimSubject): Promise<JsonObject> {
  const custom: unknown = await claims(toUser(user, config));
  if (isObject(custom)) return custom;
  throw new TypeError('claims(user) must return an object.');
}

async function accessSetOf(
  { accessSet }: ClaimDependencies,
  { user: { id, tenantId, role }, secondFactorAt }: ClaimSubject,
): Promise<ComputedAccessSet | null> {
  return accessSet ? accessSet({ userId: id, tenantId, role, secondFactorAt }) : null;
}

/** Databases may reorder the members of stored fields. */
function toComparable({ id, email, emailVerified, role, tenantId, fields }: UserRecord): object {
  return { id, email, emailVerified, role, tenantId, fields };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
