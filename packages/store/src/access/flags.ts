import type { Cause } from '../events.ts';

/** A feature flag of one tenant, or of all tenants without a value of their own. */
export interface FlagKey {
  /** Null for all tenants. */
  readonly tenantId: string | null;
  readonly name: string;
}

/** Switches that the app's operator sets, per tenant or for all. */
export interface FlagStore {
  /**
   * Sets a flag. Null removes it, so that the value for all tenants applies again. Logs `flag.set` in the log of the
   * flag's tenant, unless the flag had the value.
   */
  set(flag: FlagKey, value: boolean | null, cause?: Cause): Promise<void>;

  /**
   * Reads the value that applies to each tenant: its own, else the one for all tenants, else null. In one query, in the
   * order of the keys.
   */
  readMany(flags: readonly FlagKey[]): Promise<readonly (boolean | null)[]>;
}
