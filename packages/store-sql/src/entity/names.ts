import { hash } from 'node:crypto';

/** Returns the name of an entity's first table. A prefix distinguishes it from the framework's tables. */
export function toTableName(entity: string): string {
  return `app_${entity.replaceAll('-', '_')}`;
}

/** Returns the name of the first column for a name. No two names of one declaration become the same. */
export function toColumnName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the name of an index, derived from the columns of its table; Postgres allows at most 63 bytes. */
export function toIndexName(table: string, columns: readonly string[], isUnique: boolean): string {
  return `${table}_${hash('sha256', JSON.stringify([columns, isUnique])).slice(0, 12)}`;
}
