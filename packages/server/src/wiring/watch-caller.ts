import type { Principal } from '@x/auth';
import { type Awaitable, unauthenticated } from '@x/errors';
import type { SessionId, SessionRecord, Stores } from '@x/store';
import type { Context } from 'hono';

/** What a {@link createCallerWatch} looks at. */
export interface CallerWatchOptions {
  readonly callerOf: (c: Context) => Awaitable<Principal | null>;
  readonly stores: Stores;
}

/**
 * Creates a function that begins to watch who sent a request, and returns the check whether they still may: a JWT is
 * trusted for a minute, and a request that takes longer must not extend that.
 *
 * The check throws `UNAUTHENTICATED` once the session is over, or its JWTs from before were refused, as after a change
 * of the user's role or tenant; without a session, once the credential stands for another user or for none.
 */
export function createCallerWatch({
  callerOf,
  stores,
}: CallerWatchOptions): (c: Context) => Promise<() => Promise<void>> {
  return async (c) => {
    const caller = await callerOf(c);
    const { session } = caller ?? {};
    if (!session) {
      return async () => {
        if ((await callerOf(c))?.userId !== caller?.userId) throw unauthenticated();
      };
    }
    const readSession = (): Promise<SessionRecord | null> => stores.sessions.findById(session.id as SessionId);
    const begun = await readSession();
    return async () => {
      const current = await readSession();
      const isOver = !current || current.revokedAt !== null || current.expiresAt <= stores.clock.now();
      if (isOver || current.ver !== begun?.ver) throw unauthenticated();
    };
  };
}
