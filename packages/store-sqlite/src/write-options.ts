import type { Patience } from '@x/store/engine';

/** How stores write. */
export interface WriteOptions {
  /**
   * `FULL` (the default): an acknowledged write survives a power cut. `NORMAL`: it survives the end of the process, but
   * the last moments before a power cut may be lost.
   */
  readonly synchronous: 'FULL' | 'NORMAL';
  /**
   * How long calls wait. Default: 2 s, and 1 s for a connection. Tests on busy machines wait longer.
   *
   * @internal
   */
  readonly patience?: Patience;
}
