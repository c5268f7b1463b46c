// Consumes at the database at argv[2] as fast as it can, 5 calls at once; prints how many succeeded, by whether the call
// named one limit or two. Counters of the database say how many calls there are, and how many may succeed.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';

import { createPostgresStores } from '../src/index.ts';
import { awaitSignal } from '../../../tooling/await-signal.mjs';

const periodStart = new Date('2026-01-01T00:00:00.000Z');
const stores = createPostgresStores({ url: process.argv[2], clock: { now: () => new Date() } });
const [calls, max] = [await stores.counters.read('calls'), await stores.counters.read('max')];

async function consumeOften(tenantId, limits) {
  const debits = limits.map((limit) => ({ limit, periodStart, amount: 1, max }));
  let [left, succeeded] = [calls, 0];
  const work = async () => {
    while (left-- > 0) {
      const { outcome } = await stores.wallets.consume({ tenantId, receiptId: randomUUID(), debits });
      if (outcome === 'consumed') succeeded += 1;
    }
  };
  await Promise.all(Array.from({ length: 5 }, work));
  return succeeded;
}

await awaitSignal();
const one = await consumeOften('one', ['tasks']);
const two = await consumeOften('two', process.pid % 2 === 0 ? ['tasks', 'exports'] : ['exports', 'tasks']);
writeSync(1, `${one} ${two}`);
await stores.close();
