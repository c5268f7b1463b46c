import {
  checked,
  type ClientFailure,
  type ClientResult,
  failTo,
  type Send,
  succeed,
  type TimedResult,
} from '../request/send.ts';
import type { RefreshSchedule } from './refresh-schedule.ts';
import { loading, type NewSession, toActiveSession } from './session-state.ts';
import type { TabSession } from './tab-session.ts';
import { longestRefreshMs } from './time.ts';

/**
 * Refreshes now, sharing a refresh in progress. After a failure, until the next attempt is due, it returns that
 * failure.
 */
export type Refresh = () => Promise<ClientResult<NewSession>>;

/** Creates the function that refreshes the session of a tab, once for all tabs. */
export function createRefresh(send: Send, tab: TabSession, plan: RefreshSchedule, authPath: string): Refresh {
  /** The refresh in progress, if any. */
  let refreshing: Promise<ClientResult<NewSession>> | undefined;

  const refreshOnce: Refresh = async () => {
    const before = tab.session;
    const first = tab.state === loading && (await findOther());
    if (first && tab.state === loading) return conclude(first);
    return tab.alone(async (waited) => {
      const found = waited && tab.session === before && (await findOther());
      if (found) return conclude(found);
      if (tab.session !== before) return tab.session ? succeed(tab.session.data) : sessionOver;
      return conclude(await send(authPath + '/refresh', { method: 'POST' }, longestRefreshMs));
    });
  };

  /**
   * Asks, cheaply for the server, for another session than the one known here; false if only a refresh can tell whether
   * there is one.
   */
  const findOther = async (): Promise<TimedResult | false> => {
    const result = await send(authPath + '/session', {}, longestRefreshMs);
    if (!result.ok) return result;
    const session = (result.data as { readonly session?: Partial<NewSession> | null } | null | undefined)?.session;
    if (session === null) return tab.session || result.canRefresh ? false : sessionOver;
    return (!tab.session || session?.expiresAt !== tab.session.data.expiresAt) && { ...result, ...succeed(session) };
  };

  const conclude = (response: TimedResult): ClientResult<NewSession> => {
    const result = checked(response, (body) => body?.user?.id) as TimedResult<NewSession>;
    if (result.ok) tab.publish(toActiveSession(result));
    // Other tabs may know of a session by now.
    else if (result === sessionOver) tab.set();
    else if (result.error.code === 'SESSION_EXPIRED') tab.publish();
    else plan.retry(result);
    return result;
  };

  return async () => plan.failure() || (refreshing ??= refreshOnce().finally(() => (refreshing = undefined)));
}

/** The result if the session has ended, or belongs to another user. */
export const sessionOver: ClientFailure = failTo('SESSION_EXPIRED');
