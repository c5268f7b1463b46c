import type { AccessCheck, RecordChecks } from '@x/access';
import type { EntityRow } from '@x/store';
import type { AuthorizationCall, ProtectedEntity } from './authorization.ts';
import { type RequirementLocation, locateRequirement, resourceAt } from './resource-columns.ts';

/** The entitlements of a caller on one record, by their names. */
export type RecordAccess = Readonly<Record<string, AccessCheck>>;

/** Rows of an entity, and the entitlements to check on each. */
export interface AccessRequest {
  readonly entity: ProtectedEntity & { readonly recordAccess: readonly string[] };
  readonly rows: readonly EntityRow[];
  /** The entitlements that the caller requests, in addition to those that the entity always includes. */
  readonly entitlements: readonly string[];
}

/**
 * Checks entitlements on each of the rows, in as many store calls as for one. Undefined if none are requested, and for
 * the system, which needs none.
 */
export async function findRecordAccess(
  call: AuthorizationCall,
  { entity, rows, entitlements }: AccessRequest,
): Promise<readonly RecordAccess[] | undefined> {
  if (entity.recordAccess.length + entitlements.length === 0 || call.actor.type === 'system') return undefined;
  const groups = groupByLocation(call, entity, [...new Set([...entity.recordAccess, ...entitlements])]);
  const checks = rows.flatMap((row) => groups.map((group) => toChecks(group, row)));
  const found = (await call.access().records.checkEach(checks.filter((check) => check !== null))).values();
  const cache = new DecisionCache();
  const each = checks.map((check, at) =>
    cache.of(groups[at % groups.length]?.entitlements ?? [], check === null ? null : (found.next().value ?? null)),
  );
  if (groups.length === 1) return each;
  return rows.map((_, at) => Object.assign({}, ...each.slice(at * groups.length, (at + 1) * groups.length)));
}

/** Entitlements that are checked at the same place. */
interface Group {
  readonly location: RequirementLocation;
  readonly entitlements: readonly string[];
}

function groupByLocation(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  entitlements: readonly string[],
): readonly Group[] {
  const columns = call.context.resourceColumns.get(entity.name);
  const groups = Map.groupBy(entitlements, (entitlement) =>
    locateRequirement(columns, { type: 'entitlement', entitlement }),
  );
  return Array.from(groups, ([location, each]) => ({ location, entitlements: each }));
}

/**
 * The access shown on records, by array of decisions: most rows of a page have the same decisions, and so share one
 * object.
 */
class DecisionCache {
  readonly #known = new Map<readonly AccessCheck[], RecordAccess>();

  /** @param decisions - null if the row refers to no resource */
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

/** Builds the checks of a row; null if it refers to no resource. */
function toChecks({ location, entitlements }: Group, row: EntityRow): RecordChecks | null {
  if (location.type === 'tenant') return { entitlements };
  const resource = location.type === 'column' ? resourceAt(location, row) : null;
  if (location.type !== 'column' || !resource) return null;
  return { entitlements, resource, row: location.column === 'id' ? row : undefined };
}
