import type { ConditionRow } from './where/matches.ts';

/**
 * The kind of row that changed, and the content of `before` and `after`:
 *
 * - `record`: a row of an entity, with its columns except JSON
 * - `role`: an assignment of a role on the resource of type `entity`: `userId` or `groupId`, `role`
 * - `membership`: a direct member of the group `id`: `userId` or `groupId`
 * - `hierarchy`: an edge from the resource of type `entity` to one above it: `parentType`, `parentId`
 * - `plan`, `addOn`, `override`, `flag`: of a tenant, or a flag of all; `planName`, `quantity`, `max`, `value`
 * - `session`: one that ended, or whose `ver` was raised: `userId`, `ver`, `isEnded`
 * - `subscription`: one to notices of changes; `entity` is its stream
 * - `app`: a change that an app appended itself
 */
export type ChangeKind =
  | 'record'
  | 'role'
  | 'membership'
  | 'hierarchy'
  | 'plan'
  | 'addOn'
  | 'override'
  | 'flag'
  | 'session'
  | 'subscription'
  | 'app';

/** One committed change of a row. */
export interface Change {
  readonly kind: ChangeKind;
  /** The name of the entity, or the type of the resource; for other kinds, the type of the id. */
  readonly entity: string;
  readonly id: string;
  /** The tenant of a plan, add-on, override or flag; null for all tenants, and for other kinds. */
  readonly tenantId: string | null;
  /** The row before the change; null if it was created. */
  readonly before: ConditionRow | null;
  /** The row after the change; null if it was deleted. */
  readonly after: ConditionRow | null;
}

/** A change as it is read. */
export interface StoredChange extends Change {
  /** Its place in the feed, to read on from. */
  readonly position: string;
  /** When it was made, by the clock of the database. */
  readonly at: Date;
}

/** The next changes of the feed. */
export interface ChangePage {
  readonly changes: readonly StoredChange[];
  /** Where to read on: everything up to here was read, and nothing will be added before it. */
  readonly position: string;
}

/**
 * The feed of changes: each is appended in its own transaction, so it is read if, and only if, that is committed.
 * Several changes of a row by one transaction may become one change.
 */
export interface ChangeStore {
  /**
   * Appends a change of the app's own, for readers of the feed.
   *
   * @example
   * ```ts
   * const rename = (stores: Stores, id: string) =>
   *   stores.transaction(async (tx) => {
   *     await tx.sql`UPDATE legacy_orders SET state = 'sent' WHERE id = ${id}`;
   *     await tx.changes.append({ entity: 'legacy-orders', id, before: null, after: { state: 'sent' } });
   *   });
   * ```
   */
  append(change: Pick<Change, 'entity' | 'id' | 'before' | 'after'> & { readonly tenantId?: string }): Promise<void>;

  /**
   * Reads the changes after a position, in their order. A change whose transaction began earlier and commits later is
   * not passed: reading stops before it can matter, so a slow transaction delays the changes of others.
   *
   * @param after - the position that an earlier page returned; null returns no change, only the position to begin at
   * @returns null if the position is none of this database
   */
  read(after: string | null, limit: number): Promise<ChangePage | null>;

  /** Deletes up to `limit` changes that are at least this old by the clock of the database, and returns how many. */
  prune(options: { readonly olderThanMs: number; readonly limit: number }): Promise<number>;
}

/** The feed of a database. */
export interface ChangeFeed extends ChangeStore {
  /** Whether the stores were opened to keep it; otherwise it has only the changes that an app appends. */
  readonly isKept: boolean;

  /**
   * Calls a listener soon after changes may have been committed, by any process, until the returned function is
   * called; sometimes although there are none.
   */
  subscribe(onHint: () => void): () => void;
}
