import type { FlagKey, FlagStore } from '@x/store';
import type { FlagTable } from './flag-table.ts';
import type { Scope } from './scope.ts';

/** Creates the flag store of a scope. */
export function createFlagStore(scope: Scope): FlagStore {
  return {
    set: async ({ tenantId, name }, value) => {
      const owner = toOwner(tenantId);
      return scope.write(({ flags }) => {
        if (value === null) flags.delete(owner, name);
        else flags.put(owner, name, value);
      });
    },
    readMany: async (keys) => scope.read(({ flags }) => keys.map((key) => read(flags, key))),
  };
}

function read(flags: FlagTable, { tenantId, name }: FlagKey): boolean | null {
  return flags.get(toOwner(tenantId), name) ?? flags.get(toOwner(null), name) ?? null;
}

/** Returns the key of a tenant, or of all tenants, so that no tenant's id can be mistaken for all. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}
