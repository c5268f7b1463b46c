import { or } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { toPermitted } from '../authorization/decide.ts';
import { toId } from './find-record.ts';
import type { Scope } from './scope.ts';

/** The ids of the records to change and to delete, as callers sent them. */
export interface Targets {
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/**
 * Locks several records before the first of them is written; otherwise two requests that write the same records in
 * different orders could deadlock. A record that the caller may not write is not locked: its own step refuses it.
 */
export async function holdRecords(scope: Scope, entity: Entity, targets: Targets): Promise<void> {
  const ids = new Set([...targets.update, ...targets.delete].map(toId).filter((id) => id !== null));
  if (ids.size < 2) return;
  const operations = (['update', 'delete'] as const).filter((operation) => targets[operation].length > 0);
  const permitted = operations.map(
    (operation) => toPermitted(scope, entity, entity.rules.get(operation) ?? null).where,
  );
  await scope.stores.entities.hold(entity.name, [...ids], or(...permitted));
}
