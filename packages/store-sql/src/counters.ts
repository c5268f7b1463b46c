import type { CounterStore } from '@x/store';

import type { SqlExecutor } from './sql-executor.ts';

const selectCounter = 'SELECT value FROM auth_counters WHERE name = $1';

const addToCounter = `
  INSERT INTO auth_counters (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = auth_counters.value + excluded.value
  RETURNING value`;

/** Builds the counter store. */
export function createSqlCounters(sql: SqlExecutor): CounterStore {
  return {
    async read(name) {
      const [row] = await sql.read(selectCounter, [name]);
      return Number(row?.['value'] ?? 0);
    },

    async add(name, amount) {
      const [row] = await sql.write(addToCounter, [name, amount]);
      return Number(row?.['value']);
    },
  };
}
