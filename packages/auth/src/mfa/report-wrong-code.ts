import type { SessionId, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Logs that a wrong code was tried for a user's second factor. */
export async function recordWrongCode(
  auth: AuthContext,
  { user, sessionId }: { readonly user: UserRecord; readonly sessionId: SessionId | null },
  request: RequestContext,
): Promise<void> {
  const event = { type: 'mfa.refused', userId: user.id, tenantId: user.tenantId, sessionId } as const;
  publishEvents(auth, [await recordEvent(auth.stores, event, request)]);
}
