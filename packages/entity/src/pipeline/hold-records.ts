import type { Entity } from '../definition/entity.ts';
import { toPermitted } from './decide.ts';
import { toId } from './look-up.ts';
import type { Scope } from './scope.ts';

/** The ids of the records that are about to be changed and deleted, as callers sent them. */
export interface Targets {
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/**
 * Takes several records before the first of them is written. Otherwise whoever writes the same ones in another order would
 * wait for one of ours while we wait for one of theirs. A record that the caller may not write is not taken: its own step
 * refuses it.
 */
export async function holdRecords(scope: Scope, entity: Entity, targets: Targets): Promise<void> {
  const ids = new Set([...targets.update, ...targets.delete].map(toId).filter((id) => id !== null));
  if (ids.size < 2) return;
  const operations = (['update', 'delete'] as const).filter((operation) => targets[operation].length > 0);
  const permitted = operations.map(
    (operation) => toPermitted(scope, entity, entity.rules.get(operation) ?? null).where,
  );
  await scope.stores.entities.hold(entity.name, [...ids], { type: 'or', operands: permitted });
}
