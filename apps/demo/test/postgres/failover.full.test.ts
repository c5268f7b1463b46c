import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { startReplicatedPostgres } from '@x/test-support/postgres';
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeSharedVariables } from '../support/four-demos.ts';
import { startLedger } from '../support/ledger.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const rounds = process.env['DEEP'] ? 10 : 3;

it(
  'loses and repeats nothing that four processes acknowledged while the primary is killed and the standby promoted',
  { timeout: 300_000 },
  async () => {
    await using servers = await startReplicatedPostgres();
    const variables = {
      ...makeSharedVariables(servers.url),
      RATE_LIMIT_FACTOR: '100000',
      TEST_PATIENCE_MS: '4000',
      SESSION_TTL: '10m',
    };
    const demos = await Promise.all(Array.from({ length: 4 }, () => startDemo({ folder: makeFolder(), variables })));
    const origins = demos.map(({ origin }) => origin);
    const stores = createPostgresStores({ patience: patient, url: servers.url, clock: systemClock, maxConnections: 4 });
    const ledger = await startLedger({ origins: () => origins, stores, chains: 8 });
    const statusesOf = async (path: string): Promise<readonly number[]> =>
      Promise.all(origins.map(async (origin) => (await new Browser(origin).get(path)).status));
    for (let round = 0; round < rounds; round += 1) {
      await sleep(1000);
      await servers.primary.kill();
      await sleep(500);
      expect(await statusesOf('/readyz')).toEqual([503, 503, 503, 503]);
      expect(await statusesOf('/healthz')).toEqual([200, 200, 200, 200]);
      await servers.promote();
      await ledger.served();
      expect(await statusesOf('/readyz')).toEqual([200, 200, 200, 200]);
      await servers.rebuildStandby();
    }
    await ledger.stop();
    await ledger.expectExact(servers.primary.url);
    expect(ledger.counts.lost).toBe(0);
    await stores.close();
  },
);
