import type { Clock } from '@x/store';
import { applyMigrations, type Migration, type MigrationExecutor, type MigrationSession } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import { sqliteDialect as dialect } from './dialect.ts';
import type { Writer } from './writer.ts';

/** The options of a migration run. */
export interface MigrationRun {
  /** The file, as the log calls it. */
  readonly path: string;
  readonly writer: Writer;
  /** The writer's connection. */
  readonly connection: SqliteConnection;
  /** How long it waits while other processes migrate the same file, in milliseconds. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  readonly warn: (message: string) => void;
  /** Runs after the migrations. */
  readonly andThen: ((session: MigrationSession) => Promise<void>) | undefined;
}

/** Applies every pending migration, each while no other connection writes. */
export async function migrate(run: MigrationRun): Promise<void> {
  const { path, writer, connection, waitMs, clock, migrations, warn, andThen } = run;
  const executor = toMigrationExecutor(connection);
  let hasWarned = false;
  const warnOnce = (): void => {
    if (!hasWarned) warn(waitsForWriter(path, waitMs));
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
  const session: MigrationSession = {
    transaction: (work) => inTransaction(() => work(executor)),
    buildIndex: ({ name, isUnique, on }) =>
      inTransaction(() =>
        executor.runScript(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on}`),
      ),
  };
  await applyMigrations(session, { dialect, known: migrations, clock });
  await andThen?.(session);
}

/** How long a migration waits for other processes before it warns, in milliseconds. */
const warnAfterMs = 1000;

function waitsForWriter(path: string, waitMs: number): string {
  return `The start waits, for up to ${waitMs / 1000} s, until another process has written to ${path}.`;
}

function toMigrationExecutor(connection: SqliteConnection): MigrationExecutor {
  const read: MigrationExecutor['read'] = async (text, values) => connection.all(text, values);
  return {
    read,
    runOfApp: read,
    execute: async (text, values) => connection.run(text, values),
    runScript: async (text) => connection.runScript(text),
  };
}
