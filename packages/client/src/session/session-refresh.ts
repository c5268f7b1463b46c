import {
  type ClientFailure,
  type ClientResult,
  failTo,
  type Send,
  succeed,
  type TimedResult,
} from '../request/send.ts';
import type { Environment } from './environment.ts';
import type { RefreshSchedule } from './refresh-schedule.ts';
import { loading, type NewSession, signedOut, toActiveSession } from './session-state.ts';
import type { TabSession } from './tab-session.ts';
import { elapsedMs, longestRefreshMs } from './time.ts';

/**
 * Refreshes now, sharing a refresh in progress. After a failure, until the next attempt is due, it returns that
 * failure.
 */
export type Refresh = () => Promise<ClientResult<NewSession>>;

/** Creates the function that refreshes the session of a tab, once for all tabs. */
export function createRefresh(
  send: Send,
  environment: Pick<Environment, 'hadSession'>,
  tab: TabSession,
  plan: RefreshSchedule,
  authPath: string,
): Refresh {
  /** The refresh in progress, if any. */
  let refreshing: Promise<ClientResult<NewSession>> | undefined;

  const refreshOnce: Refresh = async () => {
    const before = tab.session;
    const first = tab.state === loading && (await findOther());
    if (tab.state === loading) {
      if (first) return conclude(first);
      if (!environment.hadSession()) {
        tab.set();
        return sessionOver;
      }
    }
    return tab.alone(async (waited) => {
      const found = waited && tab.session === before && (await findOther());
      if (found && found.ok) return conclude(found);
      if (tab.session !== before) return tab.session ? succeed(tab.session.data) : sessionOver;
      return conclude(
        (await send(authPath + '/refresh', { method: 'POST' }, longestRefreshMs)) as TimedResult<NewSession>,
      );
    });
  };

  /** Asks, cheaply for the server, whether there is another session than the one known here; undefined if not. */
  const findOther = async (): Promise<TimedResult<NewSession> | null | false> => {
    const result = (await send(authPath + '/session', {}, longestRefreshMs)) as TimedResult<{
      readonly session: NewSession | null;
    }>;
    if (!result.ok) return result;
    const found = result.data.session;
    return found && found.expiresAt !== tab.session?.data.expiresAt && { ...result, ...succeed(found) };
  };

  const conclude = (result: TimedResult<NewSession>): ClientResult<NewSession> => {
    if (result.ok) tab.publish(toActiveSession(result));
    else if (result.error.code === 'SESSION_EXPIRED') tab.publish();
    else plan.retry(result);
    return result;
  };

  return async () => plan.failure() ?? (refreshing ??= refreshOnce().finally(() => (refreshing = undefined)));
}

/**
 * Refreshes if a request needs it, and returns why the request can't be sent now. In a page where nobody is signed in,
 * the request continues as anonymous.
 */
export async function makeFresh(tab: TabSession, refresh: Refresh): Promise<ClientFailure | undefined> {
  const before = tab.session;
  if (before ? elapsedMs(before.since) < before.lifetime : tab.state === signedOut) return undefined;
  const refreshed = await refresh();
  return refreshed.ok || (!before && tab.state === signedOut) ? undefined : refreshed;
}

/** The result if the session has ended, or belongs to another user. */
export const sessionOver: ClientFailure = failTo('SESSION_EXPIRED');
