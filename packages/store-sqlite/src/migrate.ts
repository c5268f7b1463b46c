import type { Clock } from '@x/store';
import { applyNextMigration, type Migration, type MigrationScope, type MigrationSession } from '@x/store-sql';
import type { SqliteConnection } from './connection.ts';
import type { Writer } from './writer.ts';

/** The options of a migration run. */
export interface MigrationRun {
  readonly writer: Writer;
  /** The writer's connection. */
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  /** Runs after the migrations. */
  readonly andThen?: (session: MigrationSession) => Promise<void>;
}

const createBookkeeping = `
  CREATE TABLE IF NOT EXISTS auth_migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

/** Applies every pending migration, each in a transaction that also determines which one it is. */
export async function migrate({ writer, connection, clock, migrations, andThen }: MigrationRun): Promise<void> {
  const scope = toMigrationScope(connection);
  const applyNext = (): Promise<boolean> => {
    connection.runScript(createBookkeeping);
    return applyNextMigration(scope, { known: migrations, now: clock.now() });
  };
  while (await writer.transaction(applyNext));
  const transaction: MigrationSession['transaction'] = (work) => writer.transaction(() => work(scope));
  await andThen?.({
    transaction,
    buildIndex: ({ name, isUnique, on }) =>
      transaction((within) =>
        within.runScript(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on}`),
      ),
  });
}

function toMigrationScope(connection: SqliteConnection): MigrationScope {
  return {
    read: async (text, values) => connection.all(text, values),
    execute: async (text, values) => connection.run(text, values),
    runScript: async (text) => connection.runScript(text),
  };
}
