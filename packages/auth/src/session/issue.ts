import { findInputProblem, isObject, validationFailed } from '@x/errors';
import type { JsonObject, SessionRecord, SessionWithUser, UserRecord } from '@x/store';
import { isDeepStrictEqual } from 'node:util';
import { type AccessClaim, type ComputedAccessSet, toAccessClaims } from '../token/claims.ts';
import type { IssuedAccessToken } from '../token/issue.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import { publicFields, toUser, type User, withTenantOf } from '../user/user.ts';
import { accessCookie, fitsCookie, sessionCookies } from './cookies.ts';
import type { SessionDependencies } from './session.ts';

/** The outcome of any kind of sign-in. */
export interface SignedIn<Fields extends UserFields = NoFields> {
  readonly user: User<Fields>;
  /** When the JWT expires; the session itself lasts longer. */
  readonly expiresAt: Date;
  /** The `Set-Cookie` values that carry the session to the browser. Secret. */
  readonly cookies: readonly string[];
}

/** The fields of a session that tokens contain. */
type TokenSession = Pick<SessionRecord, 'id' | 'tenantId' | 'ver' | 'authenticatedAt' | 'secondFactorAt' | 'expiresAt'>;

/** Issues a JWT for a session and packs it with the refresh token into cookies. */
export async function issueTokens(
  deps: IssueDependencies,
  { refreshToken, ...contents }: TokenContents & { readonly refreshToken: string },
): Promise<SignedIn> {
  const user = toTokenUser(deps, contents);
  const { token, expiresAt } = await issueWithinCookieSize(deps, contents, user);
  const lifetimeMs = contents.session.expiresAt.getTime() - deps.stores.clock.now().getTime();
  const tokens = { accessToken: token, refreshToken, refreshMaxAgeSeconds: Math.ceil(lifetimeMs / 1000) };
  return { user, expiresAt, cookies: sessionCookies(deps.config, tokens) };
}

/** Issues another JWT for a session, which keeps its refresh token. */
export async function issueAccessToken(deps: IssueDependencies, contents: TokenContents): Promise<SignedIn> {
  const user = toTokenUser(deps, contents);
  const { token, expiresAt } = await issueWithinCookieSize(deps, contents, user);
  return { user, expiresAt, cookies: [accessCookie(deps.config, token)] };
}

function toTokenUser({ config }: IssueDependencies, { session, user }: TokenContents): User {
  return toUser(withTenantOf(session, user), config);
}

type IssueDependencies = Pick<SessionDependencies, 'config' | 'stores' | 'accessTokens'>;

/** The user that tokens are for, and their contents. */
interface TokenContents {
  readonly user: UserRecord;
  readonly session: TokenSession;
  readonly claims: ExtraClaims;
}

/** Puts as much of the access set into the JWT as fits into the cookie: its size must never prevent a sign-in. */
async function issueWithinCookieSize(
  deps: IssueDependencies,
  contents: TokenContents,
  user: User,
): Promise<IssuedAccessToken> {
  const [first, ...others] = toAccessClaims(contents.claims.access);
  let issued = await issue(deps, contents, { user, acl: first });
  for (const acl of others) {
    if (fitsCookie(deps.config, issued.token)) break;
    issued = await issue(deps, contents, { user, acl });
  }
  return issued;
}

function issue(
  deps: IssueDependencies,
  { user: record, session, claims: { custom } }: TokenContents,
  { user, acl }: { readonly user: User; readonly acl: AccessClaim | undefined },
): Promise<IssuedAccessToken> {
  return deps.accessTokens.issue(
    {
      sub: record.id,
      sid: session.id,
      email: user.email,
      emailVerified: user.emailVerified,
      role: user.role,
      tenantId: session.tenantId,
      ver: session.ver,
      user: {
        ...publicFields(record.fields, deps.config),
        createdAt: user.createdAt.toISOString(),
        updatedAt: user.updatedAt.toISOString(),
        ...(user.incomplete && { incomplete: [...user.incomplete] }),
      },
      auth_time: toSeconds(session.authenticatedAt),
      ...(session.secondFactorAt && { fva: toSeconds(session.secondFactorAt) }),
      ...(acl && { acl }),
      custom,
    },
    session.expiresAt,
  );
}

function toSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

/**
 * Changes a session by one step, and issues a JWT for the changed session. The refresh token stays as it is, and is not
 * sent, so a lost response does no harm.
 *
 * @param expected - the session as the step will leave it, for the app's claims
 * @returns null if the step changed nothing
 */
export async function reissueAccessToken(
  deps: SessionDependencies,
  expected: SessionWithUser,
  change: () => Promise<SessionWithUser | null>,
): Promise<SignedIn | null> {
  // Runs the app's code, so it comes before the step.
  const subject = toClaimSubject(expected.session, expected.user);
  const prepared = { user: subject.user, claims: await extraClaims(deps, subject) };
  const changed = await change();
  if (changed === null) return null;
  const { session, user } = changed;
  const claims = await currentClaims(deps, toClaimSubject(session, user), prepared);
  return issueAccessToken(deps, { user, session, claims });
}

/** The claims of a JWT about a user that come from the app, not from auth. */
export interface ExtraClaims {
  /** The result of the app's `claims(user)`. */
  readonly custom: JsonObject;
  /** Null if the app has none, or it is not known yet. */
  readonly access: ComputedAccessSet | null;
}

/** A user in the tenant of their session, and when a second factor was last verified in it. */
interface ClaimSubject {
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
 * transaction: it blocks no other transaction there, and nothing has to be rolled back.
 *
 * @throws TypeError if the app did not return an object; CodedError `VALIDATION_FAILED` if a key in it could reach a
 * prototype; the errors of the app's function and of the stores
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
  if (!isObject(custom)) throw new TypeError('claims(user) must return an object: {} for no claims.');
  const problem = findInputProblem(custom);
  if (problem) throw validationFailed([{ ...problem, path: ['claims', ...problem.path] }]);
  return custom as JsonObject;
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
