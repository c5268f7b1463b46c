import type { EntityPage, EntityRow } from '@x/store';
import { all, related as isRelated, type Where } from '@x/store/where';
import type { VisibleRow } from '../authorization/authorization.ts';
import { openRead } from '../authorization/open-authorization.ts';
import { findRecordAccess, type RecordAccess } from '../authorization/record-access.ts';
import { boundsOf, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { type JoinedRelation, referencesTo, type Relation } from '../model/model.ts';
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
  const { found, placesOf, hasMore, complete } =
    'through' in relation
      ? await findJoined(call, { entity, rows, relation, related })
      : await findReferring(call, { rows, keys: keysOf(relation), related, operation: operationOf(relation) });
  const further = await includeRelated(call, { entity: related, rows: found, include: inclusion.include });
  const records = found.map((row, place) => toVisibleRecord(related, row, { related: further.related[place] }));
  return {
    relatedOf(row) {
      const all = placesOf(row)
        .map((place) => records[place])
        .filter((record) => record !== undefined);
      return relation.type === 'many' ? all : (all[0] ?? null);
    },
    hasMore,
    complete: Math.min(complete, firstBeyond(further.complete, rows, placesOf)),
  };
}

/** Related rows as the caller sees them, and which of them belong to which row. */
interface FoundRows extends Pick<Included, 'complete'> {
  readonly found: readonly VisibleRow[];
  /** Returns the places in `found` of the rows that belong to one row. */
  readonly placesOf: (row: VisibleRow) => readonly number[];
  /** Says whether more than were found belong to one row. */
  readonly hasMore: (row: VisibleRow) => boolean;
}

/** Returns the place of the first row to which a related row from some place on belongs. */
function firstBeyond(place: number, rows: readonly VisibleRow[], placesOf: FoundRows['placesOf']): number {
  const first = rows.findIndex((row) => placesOf(row).some((each) => each >= place));
  return first < 0 ? Infinity : first;
}

/** Finds the rows that have the keys of others. */
async function findReferring(
  call: Call,
  { rows, keys, related, operation, where = all }: RelatedRows,
): Promise<FoundRows> {
  const reading = openRead(call, related, operation);
  const values = rows.map((row) => row[keys.ours]).filter((value) => typeof value === 'string');
  const bounds = boundsOf(call, related);
  // In the order of the rows that include them, so that if the page ends early, the first have all. One more than is
  // shown, so that it is known whether there are more.
  const readable = await reading.restrict(where, [keys.theirs, ...(keys.further ?? [])]);
  const listing = { column: keys.theirs, values, where: readable, limitEach: maxRelated + 1, bounds };
  const page = await call.stores.entities.listRelated(related.name, listing);
  const { kept, cut } = cutEach(page.records, keys.theirs);
  const found = await reading.visible(kept);
  const byKey = Map.groupBy(found.keys(), (place) => found[place]?.[keys.theirs]);
  const placesOf = (row: VisibleRow): readonly number[] => byKey.get(row[keys.ours]) ?? [];
  return {
    found,
    placesOf,
    hasMore: (row) => cut.has(row[keys.ours]),
    // The page of related rows ended here: the record that the last of them belongs to may lack some.
    complete: page.hasMore ? firstBeyond(found.length - 1, rows, placesOf) : Infinity,
  };
}

/**
 * Finds the rows that those of a third entity join with others. Those that join them count only if the caller may read
 * both, which the query for them decides, so that neither `hasMore` nor what is left out says anything of others.
 */
async function findJoined(call: Call, { entity, rows, relation, related }: JoinedRows): Promise<FoundRows> {
  const join = call.context.entities.get(relation.through);
  const [ours] = join ? referencesTo(entity.name, join.model) : [];
  const [theirs] = join ? referencesTo(related.name, join.model) : [];
  if (!join || ours === undefined || theirs === undefined) {
    throw new TypeError(`${relation.through} does not join ${entity.name} with ${related.name}.`);
  }
  const readable = await openRead(call, related, 'list').restrict(all);
  const joins = await findReferring(call, {
    rows,
    keys: { ours: 'id', theirs: ours, further: [theirs] },
    related: join,
    operation: 'list',
    where: isRelated(theirs, { entity: related.name, readable, where: all }),
  });
  const others = await findReferring(call, {
    rows: joins.found,
    keys: { ours: theirs, theirs: 'id' },
    related,
    operation: 'list',
  });
  const placesOf = (row: VisibleRow): readonly number[] => {
    const places = joins.placesOf(row).flatMap((place) => {
      const joined = joins.found[place];
      return joined ? others.placesOf(joined) : [];
    });
    // Several may join the same two.
    return [...new Set(places)];
  };
  return {
    found: others.found,
    placesOf,
    hasMore: joins.hasMore,
    complete: Math.min(joins.complete, firstBeyond(others.complete, rows, joins.placesOf)),
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
  /** Fields of those that have to be readable, too. */
  readonly further?: readonly string[];
}

function keysOf({ type, field }: Exclude<Relation, JoinedRelation>): RelationKeys {
  return type === 'many' ? { ours: 'id', theirs: field } : { ours: field, theirs: 'id' };
}

function operationOf({ type }: Relation): 'get' | 'list' {
  return type === 'many' ? 'list' : 'get';
}

function toEntityName({ model }: Entity, relation: Relation): string {
  return relation.type === 'many' ? relation.entity : (model.fields[relation.field]?.options.references ?? '');
}

interface RelatedRows {
  readonly rows: readonly VisibleRow[];
  readonly keys: RelationKeys;
  readonly related: Entity;
  /** The rule by which they are read. */
  readonly operation: 'get' | 'list';
  /** What they have to satisfy beside it. */
  readonly where?: Where;
}

interface JoinedRows {
  readonly entity: Entity;
  readonly rows: readonly VisibleRow[];
  readonly relation: JoinedRelation;
  readonly related: Entity;
}
