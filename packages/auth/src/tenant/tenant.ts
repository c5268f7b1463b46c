import { type Awaitable, CodedError, unauthenticated } from '@x/errors';
import { isStorableText, type SessionId, type SessionWithUser, type TransactionStores } from '@x/store';
import { z } from 'zod';
import { loggedTransaction } from '../events/events.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import { extraClaims, issueAccessToken, reissueAccessToken, type SignedIn, toClaimSubject } from '../session/issue.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import { loadActiveSession, requireJwtSession, type FeatureDependencies } from '../session/session.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { HookContext } from '../user/hooks.ts';
import { toUser, type User, type UserConfig, withTenantOf } from '../user/user.ts';

/** Something that users work in together, such as an organization. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
}

/** The settings of tenants. */
export interface TenantConfig {
  readonly tenant?: Tenancy | undefined;
}

/** The dependencies of tenants. */
export interface TenantDependencies extends FeatureDependencies {
  readonly config: TenantConfig & UserConfig;
}

/** How an app defines its tenants. `user.tenantId` is the tenant of the caller's session. */
export interface Tenancy<Fields extends UserFields = NoFields> {
  /** Lists the tenants that a user may work in. */
  readonly list: (user: User<Fields>) => Awaitable<readonly Tenant[]>;
  /**
   * Says whether a user may work in a tenant; the id may be any text that a caller sent. It is called twice, the second
   * time in the transaction that moves the session, so read through the stores it is given.
   */
  readonly isMember: (user: User<Fields>, tenantId: string, context: HookContext) => Awaitable<boolean>;
}

/** The tenants that a user may work in. */
export interface OwnTenants {
  readonly tenants: readonly Tenant[];
  /** The one that the caller's session is in. */
  readonly currentTenantId: string | null;
}

/** Lists the caller's tenants, as the app returns them. */
export async function listTenants(deps: TenantDependencies, { headers }: RequestContext): Promise<OwnTenants> {
  const tenancy = requireTenancy(deps);
  const { sid } = await requireJwtSession(deps.sessions, headers);
  const { session, user } = await loadActiveSession(deps.sessions, sid);
  const tenants = await tenancy.list(toUser(withTenantOf(session, user), deps.config));
  return { tenants: tenants.map(({ id, name }) => ({ id, name })), currentTenantId: session.tenantId };
}

/** The tenant that a session is to move to. */
export interface TenantSwitch {
  readonly tenantId: string;
}

/** A session that was moved to another tenant. */
export interface TenantSwitched<Fields extends UserFields = NoFields> extends SignedIn<Fields> {
  readonly tenantId: string;
}

/**
 * Moves the caller's session to a tenant. The user's next sign-in starts there, too; other sessions stay where they
 * are. Older JWTs of the session are refused. Switching to the current tenant changes nothing: not even the JWT expires
 * later.
 *
 * @throws CodedError `SESSION_EXPIRED`, `RATE_LIMITED`; `FORBIDDEN` if the user is not a member
 */
export async function switchTenant(
  deps: TenantDependencies,
  input: unknown,
  request: RequestContext,
): Promise<TenantSwitched> {
  requireTenancy(deps);
  const caller = await requireRefreshToken(deps.sessions, request);
  const { tenantId } = parseInput(tenantSwitchInput, input);
  const { session, user } = caller;
  await consumeAttempt(deps.limits, { limit: 'switchTenant', user: user.id }, request);
  await assertMember(deps, caller, tenantId, deps.stores);
  if (session.tenantId === tenantId) return { ...(await reissueUnchanged(deps, caller, request)), tenantId };
  const moved = { session: { ...session, tenantId }, user };
  const signedIn = await reissueAccessToken(deps.sessions, moved, () =>
    move(deps, { sid: session.id, tenantId }, request),
  );
  if (signedIn === null) throw unauthenticated();
  return { ...signedIn, tenantId };
}

/** Issues a JWT that expires together with the one that the caller presents. */
async function reissueUnchanged(
  { sessions }: TenantDependencies,
  { session, user }: SessionWithUser,
  { headers }: RequestContext,
): Promise<SignedIn> {
  const { expiresAt } = await requireJwtSession(sessions, headers);
  const claims = await extraClaims(sessions, toClaimSubject(session, user));
  return issueAccessToken(sessions, { user, session: { ...session, expiresAt }, claims });
}

/** The input of {@link switchTenant}. */
export const tenantSwitchInput: z.ZodType<TenantSwitch> = z.strictObject({
  tenantId: z
    .string()
    .max(256)
    .refine(isStorableText, { params: { code: 'invalid_format' }, message: 'Invalid text' }),
});

async function assertMember(
  deps: TenantDependencies,
  { session, user }: SessionWithUser,
  tenantId: string,
  stores: TransactionStores,
): Promise<void> {
  const asking = toUser(withTenantOf(session, user), deps.config);
  const isMember: unknown = await requireTenancy(deps).isMember(asking, tenantId, { stores });
  if (isMember !== true) throw new CodedError('FORBIDDEN', 'You are not a member of this tenant.');
}

/** Checks membership again, once the session is locked and no other transaction can move it to another tenant. */
function move(
  deps: TenantDependencies,
  { sid, tenantId }: { readonly sid: SessionId; readonly tenantId: string },
  request: RequestContext,
): Promise<SessionWithUser | null> {
  return loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(sid);
    if (!locked) return null;
    await assertMember(deps, locked, tenantId, stores);
    if (locked.session.tenantId === tenantId) return locked;
    const session = await stores.sessions.setTenant(sid, tenantId, log.cause());
    const user = session && (await stores.users.setTenant(session.userId, tenantId, { isImplied: true }));
    return user && { user, session };
  });
}

/** @throws CodedError `NOT_FOUND` if the app has no tenants */
function requireTenancy({ config }: Pick<TenantDependencies, 'config'>): Tenancy {
  if (config.tenant === undefined) throw new CodedError('NOT_FOUND', 'There are no tenants.');
  return config.tenant;
}
