import type { Client, SessionState } from '../index.ts';
import { useSyncExternalStore } from 'react';

/**
 * Returns who is signed in, and renders again when that changes. During server rendering it is `loading`.
 *
 * @example
 * ```ts
 * const { status, user } = useSession(client);
 * ```
 */
export function useSession(client: Pick<Client, 'session'>): SessionState {
  const { subscribe, getSnapshot } = client.session;
  return useSyncExternalStore(subscribe, getSnapshot, onServer);
}

const onServer = (): SessionState => loading;

const loading: SessionState = { status: 'loading', user: null };
