import type { AccessCheck } from '@x/access';
import type { EntityRow, Resource } from '@x/store';
import { columnOf, type ResourceColumn } from './resource-columns.ts';
import type { AuthorizationScope, ProtectedEntity } from './authorization.ts';

/** What a caller may do with one record, by the names of entitlements. */
export type RecordAccess = Readonly<Record<string, AccessCheck>>;

/** Rows of an entity, and the entitlements to check on each. */
export interface AccessRequest {
  readonly entity: ProtectedEntity & { readonly recordAccess: readonly string[] };
  readonly rows: readonly EntityRow[];
  /** The entitlements that the caller place for, in addition to those that the entity always includes. */
  readonly names: readonly string[];
}

/**
 * Checks entitlements on each of the rows, in as many store calls as for one. Undefined if none are requested, and for
 * the system, which needs none.
 */
export async function findRecordAccess(
  scope: AuthorizationScope,
  { entity, rows, names }: AccessRequest,
): Promise<readonly RecordAccess[] | undefined> {
  if (entity.recordAccess.length + names.length === 0 || scope.actor.type === 'system') return undefined;
  const places = groupByPlace(scope, entity, [...new Set([...entity.recordAccess, ...names])]);
  const checks = rows.flatMap((row) => places.map((place) => toChecks(place, row)));
  const found = (await scope.access().checkEach(checks.filter((check) => check !== null))).values();
  const cache = new DecisionCache();
  const each = checks.map((check, at) =>
    cache.of(places[at % places.length]?.entitlements ?? [], check === null ? null : (found.next().value ?? null)),
  );
  if (places.length === 1) return each;
  return rows.map((_, at) => Object.assign({}, ...each.slice(at * places.length, (at + 1) * places.length)));
}

/** Entitlements, and where they are checked. */
interface Place {
  readonly column: ResourceColumn | null | undefined;
  readonly entitlements: readonly string[];
}

function groupByPlace(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  entitlements: readonly string[],
): readonly Place[] {
  const columns = scope.context.resourceColumns.get(entity.name);
  const groups = Map.groupBy(entitlements, (entitlement) =>
    columnOf(entity.resource, columns, { grant: { type: 'entitlement', entitlement }, isNew: false }),
  );
  return Array.from(groups, ([column, each]) => ({ column, entitlements: each }));
}

/**
 * The access shown on records, by array of decisions: most rows of a page have the same decisions, and so share one
 * object.
 */
class DecisionCache {
  readonly #known = new Map<readonly AccessCheck[], RecordAccess>();

  /**
   * @param decisions - null if the row refers to no resource
   */
  of(entitlements: readonly string[], decisions: readonly AccessCheck[] | null): RecordAccess {
    const known = decisions && this.#known.get(decisions);
    if (known) return known;
    const access = Object.fromEntries(entitlements.map((name, at) => [name, decisions?.[at] ?? denied]));
    if (decisions) this.#known.set(decisions, access);
    return access;
  }
}

/** The check for a row that refers to no resource. */
const denied: AccessCheck = Object.freeze({
  allowed: false,
  reasons: Object.freeze(['role_required' as const]),
  reason: 'role_required',
});

type Checks = Parameters<ReturnType<AuthorizationScope['access']>['checkEach']>[0][number];

/** Builds the checks of a row; null if it refers to no resource. */
function toChecks({ column: place, entitlements }: Place, row: EntityRow): Checks | null {
  if (place === null) return { entitlements };
  const id = place && row[place.column];
  if (!place || typeof id !== 'string') return null;
  const resource: Resource = { type: place.type, id };
  return { entitlements, resource, row: place.column === 'id' ? row : undefined };
}
