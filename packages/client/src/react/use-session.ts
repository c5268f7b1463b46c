import type { NoFields, UserFields } from '@x/auth';
import { useSyncExternalStore } from 'react';
import type { Access, AccessClient, SessionState, Subscribable } from '../index.ts';

/**
 * Returns the state of the session, and renders again when that changes. During server rendering it is `loading`.
 *
 * @example
 * ```ts
 * const { status, user } = useSession(client);
 * ```
 */
export function useSession<Fields extends UserFields = NoFields>(client: {
  readonly session: Subscribable<SessionState<Fields>>;
}): SessionState<Fields> {
  return useSubscribable(client.session, onServer);
}

const onServer = (): typeof loading => loading;

const loading = { status: 'loading', user: null } as const;

/**
 * Returns the access of the user, and renders again when it changes. Before it is known, everything is denied.
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
