import { composeStores, type RateLimitStore } from '@x/store';
import { describeStores } from '@x/store-testing';
import { createSqliteStores } from '@x/store-sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRateLimits } from './rate-limits.ts';

// The suite of this repository's own stores, run on ours.
describeStores(
  'own rate limits on SQLite',
  {
    async createDatabase() {
      const folder = await mkdtemp(join(tmpdir(), 'own-store-'));
      let rateLimits: RateLimitStore | undefined;
      return {
        async open(clock) {
          const base = createSqliteStores({ path: join(folder, 'test.db'), clock });
          await base.migrate();
          rateLimits ??= createRateLimits(clock);
          return composeStores(base, { rateLimits });
        },
        drop: () => rm(folder, { recursive: true }),
      };
    },
  },
  { only: ['rateLimits'] },
);
