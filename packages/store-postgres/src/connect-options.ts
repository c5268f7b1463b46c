import type { Patience } from '@x/store/engine';

/** How stores connect to their database. */
export interface ConnectOptions {
  /**
   * The same database past any pooler, for one connection that is notified at once of revocations by other processes.
   * Default: `url`, or where `pool` connects to, unless a pooler is there; then, and while that connection is lost,
   * revocations are read every second. Secret.
   */
  readonly listenUrl?: string;
  /**
   * Whether `url` or `pool` leads to a pooler in transaction mode, such as PgBouncer. Then the stores leave the
   * sessions of its connections unchanged, and statements have names only if the pooler keeps them. Default `auto`: it
   * is detected.
   */
  readonly pooled?: boolean | 'auto';
  /**
   * How long calls wait. Default: 2 s, and 1 s for a connection. Tests on busy machines wait longer.
   *
   * @internal
   */
  readonly patience?: Patience;
}
