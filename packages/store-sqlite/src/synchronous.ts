// Apart from the connections, so that the declarations of this package do not need those of better-sqlite3.

/** When a commit is acknowledged: `FULL` once it is on disk, `NORMAL` once it survives this process. */
export type Synchronous = 'FULL' | 'NORMAL';
