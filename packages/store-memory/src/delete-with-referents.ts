import { type EntityRecord, storeConflict } from '@x/store';
import type { EntityTables, Referent } from './entity-tables.ts';

/**
 * Deletes rows, and all rows that cascade from them, directly or indirectly.
 *
 * @throws CodedError `CONFLICT`, without deleting anything, if a row that stays refers to one that would be deleted
 */
export function deleteWithReferents(entities: EntityTables, entity: string, ids: readonly string[]): void {
  const going = new Map(ids.map((id) => [toKey(entity, id), { entity, id }]));
  const naming: { readonly referent: Referent; readonly record: EntityRecord }[] = [];
  // A map's entries are visited in insertion order, including those added meanwhile.
  for (const { entity: named, id: namedId } of going.values()) {
    for (const referent of entities.referentsOf(named)) {
      for (const record of entities.rowsOf(referent.entity).select(referent.column, namedId)) {
        naming.push({ referent, record });
        const recordId = record.row.id;
        const key = toKey(referent.entity, recordId);
        if (referent.onDelete === 'cascade') going.set(key, { entity: referent.entity, id: recordId });
      }
    }
  }
  const staying = naming.find(({ referent, record }) => !going.has(toKey(referent.entity, record.row.id)));
  if (staying) throw storeConflict();
  for (const each of going.values()) entities.rowsOf(each.entity).delete(each.id);
}

function toKey(entity: string, id: string): string {
  return `${entity}:${id}`;
}
