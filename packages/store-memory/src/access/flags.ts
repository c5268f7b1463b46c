import type { FlagKey, FlagStore } from '@x/store';
import { logged } from '@x/store/engine';
import { PairTable } from '../database/pair-table.ts';
import type { StepExecutor } from '../database/executor.ts';
import { type EventTable, record } from '../events.ts';

/** Creates the flag store. */
export function createFlagStore(executor: StepExecutor<FlagTables>): FlagStore {
  return {
    set: async ({ tenantId, name }, value, cause) => {
      const owner = toOwner(tenantId);
      return record(executor, cause, ({ flags }) => {
        const before = flags.get(owner, name) ?? null;
        if (value === null) flags.delete(owner, name);
        else flags.put(owner, name, value);
        return { outcome: undefined, recorded: before === value ? [] : [logged.flag({ tenantId, name }, value)] };
      });
    },
    readMany: async (keys) => executor.read(({ flags }) => keys.map((key) => read(flags, key))),
  };
}

interface FlagTables {
  readonly flags: FlagTable;
  readonly events: EventTable;
}

function read(flags: FlagTable, { tenantId, name }: FlagKey): boolean | null {
  return flags.get(toOwner(tenantId), name) ?? flags.get(toOwner(null), name) ?? null;
}

/** Returns the key of a tenant, or of all tenants, so that no tenant's id can be mistaken for all. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}

/** Returns the tenant of such a key. */
export function toTenantId(owner: string): string | null {
  return owner === 'all' ? null : owner.slice('tenant '.length);
}

/** The values of flags, by owner (first key) and name (second key). */
export type FlagTable = PairTable<boolean>;

/** Creates an empty table of flags. */
export function createFlagTable(): FlagTable {
  return new PairTable<boolean>();
}
