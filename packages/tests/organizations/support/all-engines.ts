import type { toEntityTables } from '@x/entity';
import { type Stores, systemClock } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { onTestFinished } from 'vitest';
import { engines as embedded } from './companies.ts';

/** The engines that tests of what no size may break run on. */
export const allEngines: readonly {
  readonly name: string;
  /** Opens empty stores with some tables. */
  readonly open: (entities: ReturnType<typeof toEntityTables>) => Promise<Stores>;
}[] = [
  ...embedded.map(({ name, open }) => ({ name, open: async (entities: Parameters<typeof open>[0]) => open(entities) })),
  {
    name: 'Postgres',
    async open(entities) {
      const database = await createMigratedDatabase();
      onTestFinished(() => database.drop());
      return createPostgresStores({ patience: patient, clock: systemClock, url: database.url, entities });
    },
  },
];
