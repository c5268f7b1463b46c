import type { QueryOptions, SqlDriver, SqlExecutor, SqlValues } from '@x/store-sql';

/** Runs a statement, and the code of a test before and after it. */
type Around = <Outcome>(text: string, run: () => Promise<Outcome>) => Promise<Outcome>;

/** Calls a function around every statement on its way to a driver, also in transactions. */
export function aroundStatements(driver: SqlDriver, around: Around): SqlDriver {
  return { ...driver, ...aroundExecutor(driver, around) };
}

function aroundExecutor(executor: SqlExecutor, around: Around): SqlExecutor {
  return {
    read: (text: string, values: SqlValues) => around(text, () => executor.read(text, values)),
    query: (text: string, values: SqlValues, options: QueryOptions) =>
      around(text, () => executor.query(text, values, options)),
    write: (text: string, values: SqlValues) => around(text, () => executor.write(text, values)),
    attempt: (text: string, values: SqlValues) => around(text, () => executor.attempt(text, values)),
    execute: (text: string, values: SqlValues) => around(text, () => executor.execute(text, values)),
    step: (work) => executor.step((inner) => work(aroundExecutor(inner, around))),
    transaction: (work, options) => executor.transaction((inner) => work(aroundExecutor(inner, around)), options),
  };
}
