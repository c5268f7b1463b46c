import type { Outcome } from '../comparison/outcome.ts';
import type { RoundSettings } from '../comparison/run-rounds.ts';
import type { Cores } from '../machine/cores.ts';

/** What every row is run with. */
export interface RowSettings extends RoundSettings {
  readonly cores: Cores | null;
  /** The built demo. */
  readonly demo: string;
}

/** Something that is measured. */
export interface Row {
  readonly name: string;
  run(settings: RowSettings): Promise<readonly Outcome[]>;
}
