import type { Outcome } from '../comparison/outcome.ts';
import type { RoundSettings } from '../comparison/rounds.ts';
import type { Cores } from '../servers/cores.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';

/** The settings of every row. */
export interface RowSettings extends RoundSettings {
  readonly cores: Cores | null;
  /** The built demo. */
  readonly demo: string;
  /** How long the load of the row on memory lasts. */
  readonly minutes: number;
}

/** Something that is measured. */
export interface Row {
  readonly name: string;
  run(settings: RowSettings): Promise<readonly Outcome[]>;
}

/** Names a row by its work, and by the database where that is not SQLite. */
export function rowName(work: string, database: DatabaseKind): string {
  return database === 'sqlite' ? work : `${work}-${database}`;
}
