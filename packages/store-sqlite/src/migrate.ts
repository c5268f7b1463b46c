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
  const read: MigrationExecutor['read'] = async (text, values) => connection.all(text, values);
  const executor: MigrationExecutor = {
    read,
    runOfApp: read,
    execute: async (text, values) => connection.run(text, values),
    runScript: async (text) => connection.runScript(text),
  };
  let hasWarned = false;
  const warnOnce = (): void => {
    if (!hasWarned) warn();
    hasWarned = true;
  };
  const transaction: MigrationSession['transaction'] = (work) => {
    const timer = setTimeout(warnOnce, warnAfterMs).unref();
    const start = (): ReturnType<typeof work> => {
      clearTimeout(timer);
      return work(executor);
    };
    return writer.transaction(start, Infinity, waitMs).finally(() => clearTimeout(timer));
  };
  return {
    transaction,
    buildIndex: ({ name, isUnique, on }) =>
      transaction(() => executor.runScript(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on}`)),
  };
}

/** How long a migration waits for other processes before it warns, in milliseconds. */
const warnAfterMs = 1000;
