/** When a commit counts as done: `FULL` once it is on the disk, `NORMAL` once it survives this process. */
export type Synchronous = 'FULL' | 'NORMAL';
