import type { Model } from '@x/entity';
import type { EntityClient } from '../index.ts';
import type { Settle } from './query-store.ts';
import { showDuring } from './show-during.ts';
import { type AnyUpdate, replaceRow, type RowsUpdate, watchedLists, withoutRow } from './watch-list.ts';

/**
 * Returns the writes of an entity in a form that shows at once, in every watched list of the entity, what the server is
 * expected to do. If it refuses, the change is taken back, and the lists have the `error` of the result.
 *
 * By default, an update changes the record where it stands, and a created one stands first, until the lists have been
 * requested again. It has the fields of the input, an `id` of its own, and the current time as `createdAt` and
 * `updatedAt`. What only the server knows, such as defaults, is missing, whatever the type says.
 *
 * @param update - replaces that default; it also decides to which of the lists a record belongs
 * @example
 * ```ts
 * const refused = (await optimistic(client.entities.tasks).update(id, { done: true })).error;
 * ```
 */
export function optimistic<M extends Model>(
  entity: Pick<EntityClient<M>, Writes>,
  update?: RowsUpdate<M>,
): Pick<EntityClient<M>, Writes> {
  const show = (expected: AnyUpdate): readonly Settle[] =>
    [...watchedLists(entity).values()].map((list) => list.change((update as AnyUpdate | undefined) ?? expected));
  return {
    create(input, options) {
      const now = new Date().toISOString();
      const row = { ...input, id: `new ${Math.random()}`, createdAt: now, updatedAt: now };
      return showDuring(
        show((rows) => [row, ...rows]),
        () => entity.create(input, options),
      );
    },
    update: (id, changes, options) =>
      showDuring(show(replaceRow(id, changes)), () => entity.update(id, changes, options)),
    delete: (id, options) => showDuring(show(withoutRow(id)), () => entity.delete(id, options)),
  };
}

type Writes = 'create' | 'update' | 'delete';
