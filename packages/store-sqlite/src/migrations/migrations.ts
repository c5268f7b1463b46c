import type { Migration } from '@x/store-sql';
import initial from './0001-initial.ts';

/** The steps of the schema, in order. */
export const migrations: readonly Migration[] = [{ number: 1, name: '0001_initial', sql: initial }];
