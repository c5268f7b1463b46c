import type { Logger } from '@x/errors';
import type { Stores, TransactionStores } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { Actor } from './actor.ts';

/** What every operation on the records of an app works with. */
export interface EntityContext {
  readonly stores: Stores;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly logger: Logger;
}

/** What one call works with. */
export interface Scope {
  readonly context: EntityContext;
  readonly actor: Actor;
  /** The one moment that all of the call happens at. */
  readonly now: Date;
  /** Those of the transaction, where one is open. */
  readonly stores: TransactionStores;
  /** What is to be done after the commit; null where no transaction is open. */
  readonly commits: (() => void | Promise<void>)[] | null;
}

/** Opens the scope of one call. */
export function openScope(context: EntityContext, actor: Actor): Scope {
  return { context, actor, now: context.stores.clock.now(), stores: context.stores, commits: null };
}

/**
 * Runs `work` in a transaction, and what it leaves for after the commit once that is over. Inside an open transaction it
 * runs as a part of that.
 */
export async function inTransaction<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (scope.commits) return work(scope);
  const commits: (() => void | Promise<void>)[] = [];
  const outcome = await scope.stores.transaction((stores) => work({ ...scope, stores, commits }));
  for (const commit of commits) await runLogged(scope.context.logger, commit);
  return outcome;
}

async function runLogged(logger: Logger, commit: () => void | Promise<void>): Promise<void> {
  try {
    await commit();
  } catch (err) {
    logger.error({ err }, 'a hook failed after the commit');
  }
}
