import { ManualClock } from '@x/store-testing/clock';
import { expect, it, vi } from 'vitest';
import { createTables, type Tables } from '../tables.ts';
import { MemoryExecutor } from './executor.ts';

const add = ({ counters }: Tables): void => counters.put({ name: 'steps', sum: readSum({ counters }) + 1 });

const readSum = ({ counters }: Pick<Tables, 'counters'>): number => counters.get('steps')?.sum ?? 0;

it('counts steps that a transaction did not wait for as part of it', async () => {
  const executor = new MemoryExecutor({ tables: createTables(), clock: new ManualClock() });
  const started: Promise<unknown>[] = [];
  await executor.transaction(async (inside) => {
    started.push(
      inside.write(add),
      inside.transaction((inner) => inner.write(add)),
      inside.write(add),
    );
  });
  expect(await executor.read(readSum)).toBe(3);
  await Promise.all(started);
});

it('refuses a write through the outer stores inside a transaction, after waiting for it in vain', async () => {
  const executor = new MemoryExecutor({ tables: createTables(), clock: new ManualClock() });
  vi.useFakeTimers();
  const failing = executor.transaction(async (inside) => {
    await inside.write(add);
    await executor.write(add);
  });
  await Promise.all([
    expect(failing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 } }),
    vi.advanceTimersByTimeAsync(2000),
  ]);
  vi.useRealTimers();
  expect(await executor.read(readSum)).toBe(0);
});
