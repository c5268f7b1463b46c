import type { EntityRow } from '@x/store';
import { all, isIn } from '@x/store/where';
import type { Authorization, VisibleRow } from '../authorization/authorization.ts';
import { openReading } from '../authorization/open-authorization.ts';
import { findRecordAccess, type RecordAccess } from '../authorization/record-access.ts';
import type { Entity } from '../definition/entity.ts';
import type { Relation } from '../model/model.ts';
import { defaultOrder, type Inclusion } from '../query/parse-list-query.ts';
import type { Scope } from './scope.ts';
import { type ShownRecord, toShownRecord } from './shown-record.ts';

/** Rows of an entity, and what to load in addition to their fields. */
interface ExtrasRequest {
  readonly entity: Entity;
  readonly rows: readonly EntityRow[];
  /** The same rows as the caller sees them. */
  readonly visible: readonly VisibleRow[];
  readonly include: readonly Inclusion[];
  /** The entitlements that the caller requested. */
  readonly entitlements: readonly string[];
}

/** The additional data of each row, in their order. */
interface Extras {
  readonly related: readonly Readonly<Record<string, unknown>>[];
  /** Undefined if not requested. */
  readonly access: readonly RecordAccess[] | undefined;
}

/** Loads the additional data of rows: related records, and what the caller may do with them. */
export async function loadExtras(
  scope: Scope,
  { entity, rows, visible, include, entitlements }: ExtrasRequest,
): Promise<Extras> {
  if (include.length + entity.recordAccess.length + entitlements.length === 0) return nothing;
  const [related, access] = await Promise.all([
    includeRelated(scope, { entity, rows: visible, include }),
    findRecordAccess(scope, { entity, rows, entitlements }),
  ]);
  return { related, access };
}

const nothing: Extras = { related: [], access: undefined };

/** Rows of an entity, and the relations to follow from them. */
interface Inclusions {
  readonly entity: Entity;
  readonly rows: readonly VisibleRow[];
  readonly include: readonly Inclusion[];
}

/** The most related records that one record can have. */
const maxRelated = 100;

/**
 * Loads the related records of each row, by relation: an array for `hasMany`, a record or null for `belongsTo`. They
 * are limited to records that the caller may read by the rules of their own entity, and a reference that the caller may
 * not read is not followed. Each relation takes one query, however many rows there are.
 */
async function includeRelated(
  scope: Scope,
  { entity, rows, include }: Inclusions,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (include.length === 0) return none;
  const loaded = await Promise.all(
    include.map(
      async (inclusion) => [inclusion.relation, await loadRelation(scope, { entity, rows, inclusion })] as const,
    ),
  );
  return rows.map((row) => Object.fromEntries(loaded.map(([relation, relatedOf]) => [relation, relatedOf(row)])));
}

const none: readonly Readonly<Record<string, unknown>>[] = [];

interface Step {
  readonly entity: Entity;
  readonly rows: readonly VisibleRow[];
  readonly inclusion: Inclusion;
}

/** Returns the related records of one row. */
type RelatedOf = (row: VisibleRow) => ShownRecord | readonly ShownRecord[] | null;

async function loadRelation(scope: Scope, { entity, rows, inclusion }: Step): Promise<RelatedOf> {
  const relation = entity.model.relations[inclusion.relation];
  const related = relation && scope.context.entities.get(toEntityName(entity, relation));
  if (!relation || !related) throw new TypeError(`${entity.name} has no relation ${inclusion.relation}.`);
  const reading = openReading(scope, related, relation.type === 'many' ? 'list' : 'get');
  const found = await reading.visibleEach(await loadRows(scope, { rows, relation, related, reading }));
  const further = await includeRelated(scope, { entity: related, rows: found, include: inclusion.include });
  const records = found.map((row, index) => ({
    row,
    record: toShownRecord(related, row, { related: further[index] }),
  }));
  if (relation.type === 'one') {
    const byId = new Map<unknown, ShownRecord>(records.map(({ row, record }) => [row.id, record]));
    return (row) => byId.get(row[relation.field]) ?? null;
  }
  const byReference = Map.groupBy(records, ({ row }) => row[relation.field]);
  return (row) => (byReference.get(row.id) ?? []).map(({ record }) => record);
}

function toEntityName({ model }: Entity, relation: Relation): string {
  return relation.type === 'many' ? relation.entity : (model.fields[relation.field]?.options.references ?? '');
}

interface RelatedRows {
  readonly rows: readonly VisibleRow[];
  readonly relation: Relation;
  readonly related: Entity;
  readonly reading: Authorization;
}

async function loadRows(
  { stores: { entities } }: Scope,
  { rows, relation, related, reading }: RelatedRows,
): Promise<readonly EntityRow[]> {
  if (relation.type === 'many') {
    const values = rows.map(({ id }) => id);
    const where = await reading.restrict(all, relation.field);
    const listing = { column: relation.field, values, where, limitEach: maxRelated };
    return (await entities.listRelated(related.name, listing)).map(({ row }) => row);
  }
  const ids = [...new Set(rows.map((row) => row[relation.field]))].filter((id) => typeof id === 'string');
  const where = await reading.restrict(isIn('id', ids));
  const listing = { where, order: defaultOrder, after: null, limit: Math.max(1, ids.length) };
  return (await entities.list(related.name, listing)).map(({ row }) => row);
}
