import type { Clock, Stores } from '@x/store';
import type { Patience } from '@x/store/engine';
import { test as base, type TestAPI } from 'vitest';
import { ManualClock } from './clock.ts';
import { SampleRecords } from './sample-records.ts';

/** How the contract suites create databases of one kind; each adapter passes one. */
export interface StoreEngine {
  /** Whether transactions can run statements of the app's own. Default: no. */
  readonly hasSql?: boolean;

  /**
   * How many statements and transactions a database can have open at once. Default: any number. Tests that need more
   * than a small one has, as behind a pooler, do not run.
   */
  readonly connections?: number;

  /** Whether steps run beside an open transaction that changes other rows. Default: no, they wait for it. */
  readonly hasConcurrentWriters?: boolean;

  /** Makes an empty database with the current schema and the tables of `sampleEntities`. */
  createDatabase(options?: TestDatabaseOptions): Promise<TestDatabase>;
}

/** The options of the database of a test. */
interface TestDatabaseOptions {
  /** Whether it keeps the feed of changes. Default: no. */
  readonly changes?: boolean;
}

/** One database of an engine, for one test. */
export interface TestDatabase {
  /** Opens stores with `sampleEntities` on the database, as one more process on it would. */
  open(clock: Clock, limits?: TestLimits): Promise<Stores>;

  /**
   * Counts the calls that wait for a lock of another. Tests in which a call must wait go on once it does. Default: they
   * go on after a moment, which is enough where calls wait inside of this process.
   */
  countWaiting?(): Promise<number>;

  /** Closes what was opened and removes the database. */
  drop(): Promise<void>;
}

/** Limits of opened stores that the suites shorten, to wait less. An engine sets them where it can. */
export interface TestLimits {
  /** How long a transaction, or a close, may take in milliseconds. Default: as long as a test has. */
  readonly maxTransactionMs?: number;
  /** Default: {@link patient}. */
  readonly patience?: Patience;
}

/** The patience of tests of anything but its end, on a machine that does other things, too. */
export const patient: Patience = { waitMs: 60_000, connectMs: 30_000, startMs: 60_000 };

/** Opens stores whose transactions soon end. They are connected, which is not part of their time. */
export async function openLimited(database: TestDatabase, clock: Clock): Promise<Stores> {
  const stores = await database.open(clock, { maxTransactionMs: 300 });
  await stores.counters.read('steps');
  return stores;
}

/** The fixtures of the contract suites; each test gets its own. */
interface StoreFixtures {
  readonly engine: StoreEngine;
  /** How many times over the repeated and generated tests run, 1 or more. */
  readonly rounds: number;
  /** The time of the clock at first; the sample records are made around it. */
  readonly startsAt: string;
  readonly clock: ManualClock;
  readonly records: SampleRecords;
  readonly database: TestDatabase;
  /** Stores on the database, on the clock. */
  readonly stores: Stores;
  /** Four more stores on the same database and clock, opened as other processes on it would. */
  readonly processes: readonly [Stores, Stores, Stores, Stores];
}

/** Vitest's `it` with the fixtures of the contract suites. */
export interface StoreTest extends TestAPI<StoreFixtures> {
  /** Returns `it` for a test that has so many statements and transactions open at once. */
  holding(connections: number): (name: string, test: (fixtures: StoreFixtures) => Promise<void>) => void;
}

/** Creates the `it` that runs against databases of one engine. */
export function createStoreTest(engine: StoreEngine, rounds: number): StoreTest {
  const { connections: most = Infinity } = engine;
  const it = base.extend<StoreFixtures>({
    engine,
    rounds,
    startsAt: '2026-01-01T00:00:00.000Z',
    clock: async ({ startsAt }, use) => use(new ManualClock(startsAt)),
    records: async ({ startsAt }, use) => use(new SampleRecords(startsAt)),
    database: async ({ engine: chosen }, use) => {
      const database = await chosen.createDatabase();
      await use(database);
      await database.drop();
    },
    stores: async ({ database, clock }, use) => use(await database.open(clock)),
    processes: async ({ database, clock }, use) => {
      const open = async (): Promise<Stores> => database.open(clock);
      await use([await open(), await open(), await open(), await open()]);
    },
  });
  return Object.assign(it, { holding: (connections: number) => (connections <= most ? it : ignore) });
}

function ignore(): void {
  // A test that is not registered is not counted as skipped either.
}
