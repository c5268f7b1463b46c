import type { MailTokenRecord, MailTokenStore } from '@x/store';
import { expect } from 'vitest';
import { concurrently, pause, times } from '../concurrently.ts';
import type { MailTokenKind } from '../sample-records.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes use, replace and prune tokens of one kind at once. */
export function describeMailTokenRaces(it: StoreTest, kinds: MailTokenKind): void {
  describeConsumingRaces(it, kinds);
  describeReplacingRaces(it, kinds);
  describePruningRace(it, kinds);
}

function describeConsumingRaces(it: StoreTest, { kind }: MailTokenKind): void {
  it('gives a token to exactly one of 50 concurrent uses', async ({ stores, records, processes }) => {
    const token = records.mailToken((await signUp(stores, records)).id);
    await stores[kind].replace(token);
    const uses = await concurrently(processes, times(50), async (each) => each[kind].consume(token.tokenHash));
    expect(uses.filter((use) => use !== null)).toEqual([token]);
    expect(await stores[kind].find(token.tokenHash)).toBeNull();
  });

  it('leaves a token to another call when the use is rolled back', async ({ stores, records, processes, rounds }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'old' });
    for (let round = 0; round < 2 * rounds; round += 1) {
      const token = records.mailToken(id);
      await stores[kind].replace(token);
      const uses = await concurrently(processes, times(16), async (each, index) => {
        const using = each.transaction(async (inside) => {
          const used = await inside[kind].consume(token.tokenHash);
          if (used && index % 4 !== 3) throw new RangeError('no');
          if (used) await inside.users.setPassword(id, `new ${round} ${index}`);
          return used;
        });
        return using.catch((error: unknown) => error);
      });
      expect(uses.filter((use) => use !== null && !(use instanceof RangeError))).toEqual([token]);
      const winner = uses.findIndex((use) => use !== null && !(use instanceof RangeError));
      expect(await stores.users.findById(id)).toMatchObject({ passwordHash: `new ${round} ${winner}` });
    }
  });
}

function describeReplacingRaces(it: StoreTest, { kind }: MailTokenKind): void {
  it('runs a concurrent use and replacement one after the other', async ({ stores, records, processes, rounds }) => {
    const [first, second, third] = processes;
    const { id } = await signUp(stores, records);
    for (let round = 0; round < 10 * rounds; round += 1) {
      const [older, newer] = [records.mailToken(id), records.mailToken(id)];
      await stores[kind].replace(older);
      const calls = [
        async () => first[kind].consume(older.tokenHash),
        async () => ((await second[kind].replace(newer)) ? third[kind].consume(older.tokenHash) : older),
      ] as const;
      const [used, late] =
        round % 2 === 0
          ? await Promise.all([calls[0](), calls[1]()])
          : (await Promise.all([calls[1](), calls[0]()])).toReversed();
      expect([null, older]).toContainEqual(used);
      // No call uses it once another one has its place.
      expect(late).toBeNull();
      expect(await stores[kind].find(older.tokenHash)).toBeNull();
      expect(await stores[kind].consume(newer.tokenHash)).toEqual(newer);
    }
  });

  it('keeps one of 40 concurrent tokens, and never two valid ones at any moment', async ({
    stores,
    records,
    processes,
  }) => {
    const { id } = await signUp(stores, records);
    const tokens = times(40).map(() => records.mailToken(id));
    const watch = watchOrder(stores[kind], tokens);
    const stored = await concurrently(processes, tokens, async (each, token) => each[kind].replace(token));
    expect(stored.filter(Boolean)).toHaveLength(40);
    await watch.stop();
    const found = await Promise.all(tokens.map(async ({ tokenHash }) => stores[kind].find(tokenHash)));
    const left = found.filter((token) => token !== null);
    expect(left).toHaveLength(1);
    const uses = await concurrently(processes, tokens, async (each, token) => each[kind].consume(token.tokenHash));
    expect(uses.filter((use) => use !== null)).toEqual(left);
  });
}

/** Reads all tokens over and over: one that was seen, and then another one instead, must not come back. */
function watchOrder(store: MailTokenStore, tokens: readonly MailTokenRecord[]): { stop: () => Promise<void> } {
  let isOver = false;
  const watching = (async (): Promise<void> => {
    const seen: string[] = [];
    for (; !isOver; await pause(0)) {
      for (const { tokenHash } of tokens) {
        if (seen.at(-1) !== tokenHash && (await store.find(tokenHash)) !== null) seen.push(tokenHash);
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
}

function describePruningRace(it: StoreTest, { kind }: MailTokenKind): void {
  it('counts each of 40 expired tokens in exactly one pruning', async ({ stores, records, processes, clock }) => {
    const tokens = await concurrently(processes, times(40), async (each) => {
      const token = records.mailToken((await signUp(each, records)).id, { expiresAt: clock.now() });
      await each[kind].replace(token);
      return token;
    });
    clock.advance(1);
    const before = clock.now();
    const pruned = await concurrently(processes, times(8), async (each) => each[kind].prune({ before, limit: 8 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(8);
    const found = await Promise.all(tokens.map(async ({ tokenHash }) => stores[kind].find(tokenHash)));
    const left = found.filter((token) => token !== null);
    expect(pruned.reduce((sum, count) => sum + count, 0)).toBe(40 - left.length);
  });
}
