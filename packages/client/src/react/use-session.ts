import { useSyncExternalStore } from 'react';
import type { Access, AccessClient, Client, SessionState, Subscribable } from '../index.ts';

/**
 * Returns who is signed in, and renders again when that changes. During server rendering it is `loading`.
 *
 * @example
 * ```ts
 * const { status, user } = useSession(client);
 * ```
 */
export function useSession(client: Pick<Client, 'session'>): SessionState {
  return useSubscribable(client.session, onServer);
}

const onServer = (): SessionState => loading;

const loading: SessionState = { status: 'loading', user: null };

/**
 * Returns what the user may do, and renders again when that changes. Before it is known, everything is denied.
 *
 * @example
 * ```ts
 * const { can } = useAccess(client);
 * const mayExport = can('project:export');
 * ```
 */
export function useAccess<Entitlement extends string>(client: {
  readonly access: AccessClient<Entitlement>;
}): Access<Entitlement> {
  return useSubscribable(client.access);
}

/** Returns a value, and renders again when it changes. */
export function useSubscribable<T>({ subscribe, getSnapshot }: Subscribable<T>, onServer: () => T = getSnapshot): T {
  return useSyncExternalStore(subscribe, getSnapshot, onServer);
}
