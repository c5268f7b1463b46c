import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import {
  findPgBouncers,
  type ReplicatedPostgres,
  type RunningPgBouncer,
  startPgBouncer,
  startReplicatedPostgres,
} from '@x/test-support/postgres';
import { describe, expect, it } from 'vitest';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeSharedVariables } from '../support/four-demos.ts';
import { startLedger } from '../support/ledger.ts';
import { query } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** How long things are killed. Before a release: `CHAOS_MINUTES=10`. */
const minutes = Number(process.env['CHAOS_MINUTES'] ?? '0.5');

/** How soon after each fault every process has to serve again, on a machine with other work. */
const servedWithinMs = 15_000;

describe.each(['directly', 'through poolers'])('four processes that reach their database %s', (route) => {
  it(
    'end with an exact ledger after what they need was killed at random',
    { timeout: minutes * 60_000 + 180_000 },
    async () => {
      await using servers = await startReplicatedPostgres();
      await using poolers = route === 'directly' ? null : await startPoolers(servers);
      const url = poolers?.url ?? servers.url;
      const variables = {
        ...{ ...makeSharedVariables(url), DATABASE_LISTEN_URL: servers.url },
        ...{ RATE_LIMIT_FACTOR: '100000', TEST_PATIENCE_MS: '', SESSION_TTL: `${Math.ceil(minutes) + 5}m` },
      };
      const start = (): Promise<DemoProcess> => startDemo({ folder: makeFolder(), variables });
      const demos = await Promise.all([start(), start(), start(), start()]);
      const running = (): readonly string[] => demos.filter((demo) => demo.isRunning()).map(({ origin }) => origin);
      const stores = createPostgresStores({ url, clock: systemClock, maxConnections: 4 });
      const ledger = await startLedger({ origins: running, stores, chains: 6 });
      const faults: readonly Fault[] = [
        { name: 'app', begin: () => replaceOne(demos, start) },
        { name: 'listener', begin: () => endListener(servers) },
        { name: 'backend', begin: () => killBackend(servers) },
        { name: 'primary', begin: () => failOver(servers) },
        ...(poolers ? [{ name: 'pooler', begin: () => poolers.restartOne() }] : []),
      ];
      const endsAt = performance.now() + minutes * 60_000;
      for (let count = 0; count < faults.length || performance.now() < endsAt; count += 1) {
        await sleep(Math.random() * 1000);
        // Each of them once, then any.
        const fault = faults[count < faults.length ? count : Math.floor(Math.random() * faults.length)]!;
        await fault.begin();
        const isServed = await Promise.race([ledger.served().then(() => true), sleep(servedWithinMs, false)]);
        expect([fault.name, isServed]).toEqual([fault.name, true]);
      }
      await ledger.stop();
      await ledger.expectExact(servers.primary.url);
      await stores.close();
    },
  );
});

/** A pooler in front of each server, as on its machine. */
interface Poolers extends AsyncDisposable {
  /** Names both. */
  readonly url: string;
  restartOne(): Promise<void>;
}

async function startPoolers({ primary, standby, url }: ReplicatedPostgres): Promise<Poolers> {
  const [program] = await findPgBouncers();
  if (!program) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.');
  const start = (server: string): Promise<RunningPgBouncer> => startPgBouncer({ server, poolSize: 10 }, program);
  const poolers = [await start(primary.url), await start(standby.url)] as const;
  const hosts = poolers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: url.replace(/@[^/]*/, `@${hosts}`),
    restartOne: () => poolers[Math.random() < 0.5 ? 0 : 1].restart(),
    async [Symbol.asyncDispose]() {
      for (const pooler of poolers) await pooler[Symbol.asyncDispose]();
    },
  };
}

interface Fault {
  readonly name: string;
  /** Lets it happen, and replaces what was killed. */
  begin(): Promise<unknown>;
}

async function replaceOne(demos: DemoProcess[], start: () => Promise<DemoProcess>): Promise<void> {
  const index = Math.floor(Math.random() * demos.length);
  demos[index]?.signal('SIGKILL');
  await demos[index]?.ended;
  // A supervisor starts it again if its database was out of reach in that moment.
  demos[index] = await start().catch(start);
}

/** A listener asks for nothing but whether its connection is alive. */
function endListener({ primary }: ReplicatedPostgres): Promise<unknown> {
  return query(
    primary.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT 1' OR query LIKE 'LISTEN %'`,
  );
}

/** The server takes a killed backend for a crash of its own: it ends all others, and recovers. */
async function killBackend({ primary }: ReplicatedPostgres): Promise<void> {
  const others = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  const [backend] = await query(primary.url, `${others} ORDER BY random() LIMIT 1`);
  if (backend) process.kill(Number(backend['pid']), 'SIGKILL');
}

async function failOver(servers: ReplicatedPostgres): Promise<void> {
  await servers.primary.kill();
  await sleep(Math.random() * 1000);
  await servers.promote();
  await servers.rebuildStandby();
}
