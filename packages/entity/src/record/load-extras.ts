import type { EntityPage, EntityRow } from '@x/store';
import { all } from '@x/store/where';
import type { Authorization, VisibleRow } from '../authorization/authorization.ts';
import { openRead } from '../authorization/open-authorization.ts';
import { findRecordAccess, type RecordAccess } from '../authorization/record-access.ts';
import { boundsOf, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import type { Relation } from '../model/model.ts';
import type { Inclusion } from '../query/parse-list-query.ts';
import type { IncludeMeta } from '../query/query-types.ts';
import { type VisibleRecord, toVisibleRecord } from './visible-record.ts';

/** Rows of an entity, and the additional data to load. */
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
export interface Extras extends Included {
  /** Undefined if not requested. */
  readonly access: readonly RecordAccess[] | undefined;
}

/** The related records of rows. */
interface Included {
  /** Of each row, by relation; empty if none are requested. */
  readonly related: readonly Readonly<Record<string, unknown>>[];
  /** How many of the rows, from the first, have all of theirs: the queries for them end at the size of a page. */
  readonly complete: number;
}

/** Loads the additional data of rows: related records, and the caller's entitlements on them. */
export async function loadExtras(
  call: Call,
  { entity, rows, visible, include, entitlements }: ExtrasRequest,
): Promise<Extras> {
  if (include.length + entity.recordAccess.length + entitlements.length === 0) return nothing;
  const [included, access] = await Promise.all([
    includeRelated(call, { entity, rows: visible, include }),
    findRecordAccess(call, { entity, rows, entitlements }),
  ]);
  return { ...included, access };
}

const nothing: Extras = { related: [], complete: Infinity, access: undefined };

/** Rows of an entity, and the relations to follow from them. */
interface Inclusions {
  readonly entity: Entity;
  readonly rows: readonly VisibleRow[];
  readonly include: readonly Inclusion[];
}

/** The most related records that one record is shown with. */
const maxRelated = 100;

/**
 * Loads the related records of each row, by relation: an array for `hasMany`, a record or null for `belongsTo`. They
 * are limited to records that the caller may read by the rules of their own entity, and a reference that the caller may
 * not read is not followed. If there are more than are shown, `includeMeta` says so. Each relation takes one query,
 * however many rows there are.
 */
async function includeRelated(call: Call, { entity, rows, include }: Inclusions): Promise<Included> {
  if (include.length === 0) return none;
  const loaded = await Promise.all(
    include.map(
      async (inclusion) => [inclusion.relation, await loadRelation(call, { entity, rows, inclusion })] as const,
    ),
  );
  return {
    related: rows.map((row) => ({
      ...Object.fromEntries(loaded.map(([relation, { relatedOf }]) => [relation, relatedOf(row)])),
      ...toMeta(loaded.filter(([, { hasMore }]) => hasMore(row)).map(([relation]) => relation)),
    })),
    complete: Math.min(...loaded.map(([, { complete }]) => complete)),
  };
}

const none: Included = { related: [], complete: Infinity };

/** Says of which relations there are more records than are shown. */
function toMeta(relations: readonly string[]): { readonly includeMeta?: IncludeMeta } {
  if (relations.length === 0) return {};
  return { includeMeta: Object.fromEntries(relations.map((relation) => [relation, { hasMore: true }])) };
}

interface Step {
  readonly entity: Entity;
  readonly rows: readonly VisibleRow[];
  readonly inclusion: Inclusion;
}

/** One relation, followed from some rows. */
interface LoadedRelation extends Pick<Included, 'complete'> {
  /** Returns the related records of one row. */
  readonly relatedOf: (row: VisibleRow) => VisibleRecord | readonly VisibleRecord[] | null;
  /** Says whether one row has more of them. */
  readonly hasMore: (row: VisibleRow) => boolean;
}

async function loadRelation(call: Call, { entity, rows, inclusion }: Step): Promise<LoadedRelation> {
  const relation = entity.model.relations[inclusion.relation];
  const related = relation && call.context.entities.get(toEntityName(entity, relation));
  if (!relation || !related) throw new TypeError(`${entity.name} has no relation ${inclusion.relation}.`);
  const reading = openRead(call, related, relation.type === 'many' ? 'list' : 'get');
  const keys = keysOf(relation);
  const { records: stored, hasMore } = await loadRows(call, { rows, keys, related, reading });
  const { kept, cut } = cutEach(stored, keys.theirs);
  const found = await reading.visible(kept);
  const further = await includeRelated(call, { entity: related, rows: found, include: inclusion.include });
  const records = found.map((row, index) => ({
    row,
    record: toVisibleRecord(related, row, { related: further.related[index] }),
  }));
  const byKey = Map.groupBy(records, ({ row }) => row[keys.theirs]);
  // The page of related rows ended here: the record that this row belongs to may lack some.
  const firstIncomplete = found[Math.min(further.complete, hasMore ? found.length - 1 : Infinity)];
  const incompleteKey = firstIncomplete?.[keys.theirs];
  const complete = firstIncomplete ? rows.findIndex((row) => row[keys.ours] === incompleteKey) : Infinity;
  return {
    relatedOf(row) {
      const all = (byKey.get(row[keys.ours]) ?? []).map(({ record }) => record);
      return relation.type === 'many' ? all : (all[0] ?? null);
    },
    hasMore: (row) => cut.has(row[keys.ours]),
    complete,
  };
}

/** Keeps as many related rows of each key as one record is shown with, and says of which keys there are more. */
function cutEach(
  stored: EntityPage['records'],
  key: string,
): { readonly kept: readonly EntityRow[]; readonly cut: ReadonlySet<unknown> } {
  const counts = new Map<unknown, number>();
  const cut = new Set<unknown>();
  const kept = stored.flatMap(({ row }) => {
    const count = (counts.get(row[key]) ?? 0) + 1;
    counts.set(row[key], count);
    if (count <= maxRelated) return [row];
    cut.add(row[key]);
    return [];
  });
  return { kept, cut };
}

/** The fields whose values are equal in related records. */
interface RelationKeys {
  /** In the record that includes others. */
  readonly ours: string;
  /** In those that it includes. */
  readonly theirs: string;
}

function keysOf({ type, field }: Relation): RelationKeys {
  return type === 'many' ? { ours: 'id', theirs: field } : { ours: field, theirs: 'id' };
}

function toEntityName({ model }: Entity, relation: Relation): string {
  return relation.type === 'many' ? relation.entity : (model.fields[relation.field]?.options.references ?? '');
}

interface RelatedRows {
  readonly rows: readonly VisibleRow[];
  readonly keys: RelationKeys;
  readonly related: Entity;
  readonly reading: Authorization;
}

/** Loads the rows in the order of those that include them, so that if the page ends early, the first have all. */
async function loadRows(call: Call, { rows, keys, related, reading }: RelatedRows): Promise<EntityPage> {
  const values = rows.map((row) => row[keys.ours]).filter((value) => typeof value === 'string');
  const where = await reading.restrict(all, keys.theirs);
  const bounds = boundsOf(call, related);
  // One more than is shown, so that it is known whether there are more.
  const listing = { column: keys.theirs, values, where, limitEach: maxRelated + 1, bounds };
  return call.stores.entities.listRelated(related.name, listing);
}
