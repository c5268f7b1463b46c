import { systemClock } from '@x/store';
import { startReplicatedPostgres } from '@x/test-support/postgres';
import { expect, it, vi } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { patience } from './testing/faulty-network.ts';

it('serves on a promoted standby, and not on the old primary that came back without having been rebuilt', async () => {
  await using servers = await startReplicatedPostgres();
  const open = (): ReturnType<typeof createPostgresStores> =>
    createPostgresStores({ url: servers.url, clock: systemClock, patience });
  const stores = open();
  await stores.migrate();
  await stores.counters.add('a', 1);
  await servers.primary.kill();
  await expectRefused(stores.counters.add('a', 1));
  await expectRefused(stores.ping());
  await servers.promote();
  await vi.waitFor(() => stores.ping(), { timeout: 30_000 });
  await stores.counters.add('a', 1);
  // The old primary knows nothing of the promotion, and takes writes, which no standby receives.
  await servers.standby.start();
  const late = open();
  for (const each of [stores, late]) await each.counters.add('a', 1);
  expect(await stores.counters.read('a')).toBe(4);
  expect(await late.counters.read('a')).toBe(4);
  await Promise.all([stores.close(), late.close()]);
});
