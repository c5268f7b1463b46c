import type { ConditionRow } from '@x/store/where';

/** Reads a text of a row before or after a change; empty if there is none. */
export function readText(row: ConditionRow | null, name: string): string {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
}
