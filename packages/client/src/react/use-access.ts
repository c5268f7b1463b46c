import { useSyncExternalStore } from 'react';
import type { Access, AccessClient } from '../index.ts';

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
  const { subscribe, getSnapshot } = client.access;
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
