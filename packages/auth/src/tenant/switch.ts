import { CodedError } from '@x/errors';
import { isStorableText, type SessionId, type SessionWithUser, type TransactionStores } from '@x/store';
import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../events/events.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type ChangedSession, inTenantOf, reissueTokens, type SignedIn } from '../session/issue.ts';
import { requireActive, requireClaims, unauthenticated } from '../session/read.ts';
import { toUser } from '../user/user.ts';
import { requireTenancy } from './tenants.ts';

/** The tenant that a session is to move to. */
export interface TenantSwitch {
  readonly tenantId: string;
}

/** A session that was moved to another tenant. */
export interface TenantSwitched extends SignedIn {
  readonly tenantId: string;
}

/**
 * Moves the caller's session to a tenant. The user's next sign-in starts there, too; other sessions stay where they
 * are. Older JWTs of the session are refused.
 *
 * @throws CodedError `FORBIDDEN` if the user is not a member
 */
export async function switchTenant(
  auth: AuthContext,
  input: unknown,
  request: RequestContext,
): Promise<TenantSwitched> {
  requireTenancy(auth);
  const { sid } = await requireClaims(auth, request.headers);
  const { tenantId } = await parseInput(tenantSwitchInput, input);
  const { session, user } = await requireActive(auth, sid);
  await assertMember(auth, { session, user }, tenantId, auth.stores);
  const moved = { session: { ...session, tenantId }, user };
  const signedIn = await reissueTokens(auth, moved, () => move(auth, { sid, tenantId }, request));
  if (signedIn === null) throw unauthenticated();
  return { ...signedIn, tenantId };
}

/** The input of {@link switchTenant}. */
export const tenantSwitchInput: z.ZodType<TenantSwitch> = z.strictObject({
  tenantId: z
    .string()
    .max(256)
    .refine(isStorableText, { params: { code: 'invalid_format' }, message: 'Invalid text' }),
});

async function assertMember(
  auth: AuthContext,
  { session, user }: SessionWithUser,
  tenantId: string,
  stores: TransactionStores,
): Promise<void> {
  const asking = toUser(inTenantOf(session, user), auth.config);
  const isMember: unknown = await requireTenancy(auth).isMember(asking, tenantId, { stores });
  if (isMember !== true) throw new CodedError('FORBIDDEN', 'You are not a member of this tenant.');
}

/** Checks membership again, once the session is locked and nobody else can move the user. */
function move(
  auth: AuthContext,
  { sid, tenantId }: { readonly sid: SessionId; readonly tenantId: string },
  request: RequestContext,
): Promise<ChangedSession | null> {
  return auth.stores.transaction(async (stores) => {
    const locked = await stores.sessions.lockActive(sid);
    if (!locked) return null;
    await assertMember(auth, locked, tenantId, stores);
    const session = await stores.sessions.setTenant(sid, tenantId);
    const user = session && (await stores.users.setTenant(session.userId, tenantId));
    if (!user) return null;
    const detail = { from: locked.session.tenantId };
    const event = { type: 'session.tenant_switched', userId: user.id, tenantId, sessionId: sid, detail } as const;
    return { user, session, events: [await recordEvent(stores, event, request)] };
  });
}
