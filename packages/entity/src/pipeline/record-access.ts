import type { AccessCheck } from '@x/access';
import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { columnOf, type GrantColumn } from './grant-columns.ts';
import type { Scope } from './scope.ts';

/** What a caller may do with one record, by the names of entitlements. */
export type RecordAccess = Readonly<Record<string, AccessCheck>>;

/** Rows of an entity, and the entitlements that each is to say of whether the caller holds them. */
export interface AccessRequest {
  readonly entity: Entity;
  readonly rows: readonly EntityRow[];
  /** Those that the caller named beside those that the entity always tells. */
  readonly names: readonly string[];
}

/**
 * Checks entitlements on each of the rows, in as many store calls as it takes for one; undefined where none are wanted, and
 * for the system, which needs none.
 */
export async function findRecordAccess(
  scope: Scope,
  { entity, rows, names }: AccessRequest,
): Promise<readonly RecordAccess[] | undefined> {
  if (entity.recordAccess.length + names.length === 0 || scope.actor.type === 'system') return undefined;
  const wanted = [...new Set([...entity.recordAccess, ...names])];
  const columns = scope.context.grantColumns.get(entity.name);
  const places = wanted.map((entitlement) =>
    columnOf(entity, columns, { grant: { type: 'entitlement', entitlement }, isNew: false }),
  );
  // Pages spend their time here: what is the same for all rows, or for all entitlements, is found once.
  const distinct = [...new Set(places)];
  const asked = wanted.map((entitlement, at) => ({ entitlement, from: distinct.indexOf(places[at]) }));
  const subjects = rows.map((row) => distinct.map((place) => toSubject(place, row)));
  const checks: Check[] = [];
  for (const ofRow of subjects) {
    for (const { entitlement, from } of asked) {
      const subject = ofRow[from];
      if (subject) checks.push({ entitlement, resource: subject.resource, row: subject.row });
    }
  }
  const found = await scope.access().checkAll(checks);
  let next = 0;
  let last: readonly AccessCheck[] = [];
  let access: RecordAccess = {};
  return subjects.map((ofRow) => {
    const verdicts = asked.map(({ from }) => (ofRow[from] && found[next++]) ?? denied);
    // Most of a page is the caller's in the same way.
    if (verdicts.length === last.length && verdicts.every((verdict, at) => verdict === last[at])) return access;
    last = verdicts;
    access = Object.fromEntries(asked.map(({ entitlement }, at) => [entitlement, verdicts[at] ?? denied]));
    return access;
  });
}

/** Of what refers to nothing. */
const denied: AccessCheck = Object.freeze({
  allowed: false,
  reasons: Object.freeze(['role_required' as const]),
  reason: 'role_required',
});

type Check = Parameters<ReturnType<Scope['access']>['checkAll']>[0][number];

/** Null where there is nothing to ask on. */
function toSubject(place: GrantColumn | null | undefined, row: EntityRow): Omit<Check, 'entitlement'> | null {
  if (place === null) return {};
  const id = place && row[place.column];
  if (!place || typeof id !== 'string') return null;
  const resource = { type: place.type, id };
  return place.column === 'id' ? { resource, row } : { resource };
}
