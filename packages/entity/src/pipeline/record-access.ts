import type { AccessCheck } from '@x/access';
import type { EntityRow, Resource } from '@x/store';
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
  const asked = findPlaces(scope, entity, new Set([...entity.recordAccess, ...names]));
  const checks = rows.map((row) => toChecks(asked, row));
  const verdicts = (await scope.access().checkAll(checks.flat().filter((check) => check !== null))).values();
  const last: { verdicts: readonly AccessCheck[]; access: RecordAccess } = { verdicts: [], access: {} };
  return checks.map((ofRow) => {
    const told = ofRow.map((check) => (check === null ? denied : (verdicts.next().value ?? denied)));
    // Most of a page is the caller's in the same way.
    if (told.some((verdict, at) => verdict !== last.verdicts[at])) {
      last.verdicts = told;
      last.access = Object.fromEntries(asked.map(({ entitlement }, at) => [entitlement, told[at] ?? denied]));
    }
    return last.access;
  });
}

/** An entitlement, and where it is asked. */
interface Asked {
  readonly entitlement: string;
  readonly place: GrantColumn | null | undefined;
}

function findPlaces(scope: Scope, entity: Entity, entitlements: ReadonlySet<string>): readonly Asked[] {
  const columns = scope.context.grantColumns.get(entity.name);
  return Array.from(entitlements, (entitlement) => {
    const place = columnOf(entity, columns, { grant: { type: 'entitlement', entitlement }, isNew: false });
    return { entitlement, place };
  });
}

/** Of what refers to nothing. */
const denied: AccessCheck = Object.freeze({
  allowed: false,
  reasons: Object.freeze(['role_required' as const]),
  reason: 'role_required',
});

type Check = Parameters<ReturnType<Scope['access']>['checkAll']>[0][number];

/** Builds what is asked on a row; null where it refers to nothing to ask on. What is asked on one resource names one. */
function toChecks(asked: readonly Asked[], row: EntityRow): readonly (Check | null)[] {
  let last: { readonly place: GrantColumn; readonly resource: Resource } | undefined;
  return asked.map(({ entitlement, place }) => {
    if (place === null) return { entitlement };
    const id = place && row[place.column];
    if (!place || typeof id !== 'string') return null;
    if (last?.place !== place) last = { place, resource: { type: place.type, id } };
    return { entitlement, resource: last.resource, row: place.column === 'id' ? row : undefined };
  });
}
