import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect } from 'vitest';
import { sampleId } from '../entity/sample-entities.ts';
import { ManualClock } from '../clock.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how stores are migrated, opened and closed. */
export function describeLifecycle(it: StoreTest): void {
  describe('lifecycle', () => {
    describeMigration(it);
    describeOpening(it);
    describeClosing(it);
  });
}

function describeMigration(it: StoreTest): void {
  it('migrates a current database again without losing rows', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    await stores.migrate();
    await stores.migrate();
    expect(await stores.users.findById(user.id)).toEqual(user);
  });

  it('lets eight processes migrate at once', async ({ stores, records, database, clock }) => {
    const user = await signUp(stores, records);
    const opened = await Promise.all(Array.from({ length: 8 }, () => database.open(clock)));
    await Promise.all(opened.map((each) => each.migrate()));
    for (const each of opened) expect(await each.users.findById(user.id)).toEqual(user);
  });

  it('answers a ping on an open database', async ({ stores, processes }) => {
    for (const each of [stores, ...processes]) expect(await each.ping()).toBeUndefined();
  });
}

function describeOpening(it: StoreTest): void {
  it('shows every process what another one wrote', async ({ stores, records, processes }) => {
    const user = await signUp(stores, records);
    for (const each of processes) expect(await each.users.findById(user.id)).toEqual(user);
  });

  it('keeps what was written after all processes have closed the database', async ({ database, records }) => {
    const clock = new ManualClock();
    const before = await database.open(clock);
    const user = await signUp(before, records);
    const session = await signIn(before, records, user.id);
    await before.close();
    const after = await database.open(clock);
    expect(await after.users.findByLoginEmail(user.email)).toEqual(user);
    expect(await after.sessions.listActive(user.id)).toEqual([session]);
  });

  it('uses the clock that the stores were opened with', async ({ database, records }) => {
    const late = new ManualClock('2026-01-01T00:00:01.000Z');
    const [early, later] = [
      await database.open(new ManualClock('2026-01-01T00:00:00.000Z')),
      await database.open(late),
    ];
    expect(later.clock).toBe(late);
    const user = await signUp(later, records);
    expect(user.createdAt).toEqual(late.now());
    await signIn(early, records, user.id, { expiresAt: late.now() });
    expect(await early.sessions.countActive(user.id)).toBe(1);
    expect(await later.sessions.countActive(user.id)).toBe(0);
  });

  it('shares nothing between two databases', async ({ stores, records, engine }) => {
    const user = await signUp(stores, records);
    const elsewhere = await engine.createDatabase();
    const other = await elsewhere.open(new ManualClock());
    expect(await other.users.findById(user.id)).toBeNull();
    await elsewhere.drop();
    expect(await stores.users.findById(user.id)).toEqual(user);
  });
}

function describeClosing(it: StoreTest): void {
  it('allows closing stores twice, also at once', async ({ database, clock }) => {
    const opened = await database.open(clock);
    await Promise.all([opened.close(), opened.close()]);
    expect(await opened.close()).toBeUndefined();
  });

  it('throws for a call after the close', async ({ database, records, clock }) => {
    const closed = await database.open(clock);
    await closed.close();
    for (const call of callsOn(closed, records)) await expect(async () => call()).rejects.toThrow(Error);
  });

  it('leaves other stores open when some are closed', async ({ stores, records, database, clock }) => {
    const closed = await database.open(clock);
    const user = await signUp(closed, records);
    await closed.close();
    expect(await stores.users.findById(user.id)).toEqual(user);
    expect(await stores.counters.add('visits', 1)).toBe(1);
  });

  it('finishes running steps before the close resolves', async ({ stores, database, clock }) => {
    const opened = await database.open(clock);
    const additions = Promise.all(Array.from({ length: 50 }, () => opened.counters.add('visits', 1)));
    await opened.close();
    expect(await stores.counters.read('visits')).toBe(50);
    expect(await additions).toHaveLength(50);
  });

  it('finishes a running transaction before the close resolves', async ({ stores, database, clock }) => {
    const opened = await database.open(clock);
    const entered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const working = opened.transaction(async (inside) => {
      await inside.counters.add('steps', 1);
      entered.resolve();
      await released.promise;
      return inside.counters.add('steps', 1);
    });
    await entered.promise;
    const closing = opened.close();
    released.resolve();
    await closing;
    expect(await stores.counters.read('steps')).toBe(2);
    expect(await working).toBe(2);
  });
}

function callsOn(stores: Stores, records: SampleRecords): readonly (() => Promise<unknown>)[] {
  return [
    () => stores.users.findById(records.userId()),
    () => stores.users.create(records.user()),
    () => stores.sessions.countActive(records.userId()),
    () => stores.sessions.revokeAll(records.userId()),
    () => stores.rateLimits.check('late', 1, 1000),
    () => stores.events.append(records.event()),
    () => stores.entities.count('tasks', all),
    () => stores.entities.create('projects', { id: sampleId(), name: 'late' }),
    () => stores.counters.read('late'),
    () => stores.counters.add('late', 1),
    () => stores.transaction(async () => 'late'),
    () => stores.migrate(),
    () => stores.ping(),
    () => stores.readServerTime(),
  ];
}
