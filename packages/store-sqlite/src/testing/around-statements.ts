import type { QueryOptions, SqlDriver, SqlScope, SqlValues } from '@x/store-sql';

/** Runs a statement, and what a test wants before and after it. */
type Around = <Outcome>(text: string, run: () => Promise<Outcome>) => Promise<Outcome>;

/** Calls a function around every statement on its way to a driver, also in transactions. */
export function aroundStatements(driver: SqlDriver, around: Around): SqlDriver {
  return { ...driver, ...aroundScope(driver, around) };
}

function aroundScope(scope: SqlScope, around: Around): SqlScope {
  return {
    read: (text: string, values: SqlValues) => around(text, () => scope.read(text, values)),
    query: (text: string, values: SqlValues, options: QueryOptions) =>
      around(text, () => scope.query(text, values, options)),
    write: (text: string, values: SqlValues) => around(text, () => scope.write(text, values)),
    attempt: (text: string, values: SqlValues) => around(text, () => scope.attempt(text, values)),
    execute: (text: string, values: SqlValues) => around(text, () => scope.execute(text, values)),
    step: (work) => scope.step((inner) => work(aroundScope(inner, around))),
    transaction: (work, options) => scope.transaction((inner) => work(aroundScope(inner, around)), options),
  };
}
