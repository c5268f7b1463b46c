import { type AccessCheck, decodeAccessSet, type EncodedAccessSet } from '@x/access/access-set';
import { client } from '../client.ts';
import { useLoad } from '../load/use-load.ts';
import { type Entitlement, entitlements } from './entitlements.ts';

/** A record that the server has checked entitlements on. */
export interface Checked {
  readonly __access?: Readonly<Record<string, AccessCheck>>;
}

/** Asks what the user may do, in their organization or with a record. */
export type Check = (entitlement: Entitlement, record?: Checked) => AccessCheck;

export function useAccess(): Check {
  const { value } = useLoad('access', (options) =>
    client.request<{ readonly accessSet: EncodedAccessSet }>('/api/auth/access-set', options),
  );
  const set = decodeAccessSet(value?.accessSet, entitlements);
  return (entitlement, record) => (record ? record.__access : set.entitlements)?.[entitlement] ?? denied;
}

/** What nothing is known of is not allowed. */
export const denied: AccessCheck = { allowed: false, reasons: ['role_required'], reason: 'role_required' };
