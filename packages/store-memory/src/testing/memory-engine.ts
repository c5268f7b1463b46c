import type { Stores } from '@x/store';
import { patient, sampleEntities, type StoreEngine } from '@x/store-testing';
import { createMemoryDatabase, openMemoryStores } from '../create-memory-stores.ts';

export const memoryEngine: StoreEngine = {
  createDatabase: async ({ changes } = {}) => {
    const database = createMemoryDatabase(sampleEntities, changes);
    const opened: Stores[] = [];
    return {
      open: async (clock, { maxTransactionMs: limitMs = 60_000, patience = patient } = {}) => {
        const stores = openMemoryStores(database, clock, { limitMs, waitMs: patience.waitMs });
        opened.push(stores);
        return stores;
      },
      drop: async () => {
        await Promise.all(opened.map((stores) => stores.close()));
      },
    };
  },
};
