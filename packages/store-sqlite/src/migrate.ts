import type { MigrationExecutor, MigrationSession } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import type { Writer } from './writer.ts';

/** Where a session migrates. */
interface SessionOptions {
  readonly writer: Writer;
  /** The writer's connection. */
  readonly connection: SqliteConnection;
  /** How long it waits while other processes migrate the same file, in milliseconds. */
  readonly waitMs: number;
  /** Called once if it has waited for a while. */
  readonly warn: () => void;
}

/** Creates a session to migrate in. No other connection writes during each of its steps. */
export function createMigrationSession({ writer, connection, waitMs, warn }: SessionOptions): MigrationSession {
  const executor = toMigrationExecutor(connection);
  let hasWarned = false;
  const warnOnce = (): void => {
    if (!hasWarned) warn();
    hasWarned = true;
  };
  const inTransaction = <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(warnOnce, warnAfterMs).unref();
    const start = (): Promise<T> => {
      clearTimeout(timer);
      return work();
    };
    return writer.transaction(start, Infinity, waitMs).finally(() => clearTimeout(timer));
  };
  return {
    transaction: (work) => inTransaction(() => work(executor)),
    buildIndex: ({ name, isUnique, on }) =>
      inTransaction(() =>
        executor.runScript(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on}`),
      ),
  };
}

/** How long a migration waits for other processes before it warns, in milliseconds. */
const warnAfterMs = 1000;

function toMigrationExecutor(connection: SqliteConnection): MigrationExecutor {
  const read: MigrationExecutor['read'] = async (text, values) => connection.all(text, values);
  return {
    read,
    runOfApp: read,
    execute: async (text, values) => connection.run(text, values),
    runScript: async (text) => connection.runScript(text),
  };
}
