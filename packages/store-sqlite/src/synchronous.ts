/** When a commit is acknowledged: `FULL` once it is on disk, `NORMAL` once it survives this process. */
export type Synchronous = 'FULL' | 'NORMAL';
