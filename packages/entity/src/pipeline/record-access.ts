import type { AccessCheck } from '@x/access';
import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { type Asked, toAsked } from './judge.ts';
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
  const asked = rows.flatMap((row) =>
    wanted.map((entitlement) => ({
      entitlement,
      asked: toAsked(scope, { type: 'entitlement', entitlement }, { entity, row }),
    })),
  );
  const checks = await checkAll(scope, asked);
  return rows.map((_, place) =>
    Object.fromEntries(wanted.map((name, at) => [name, checks[place * wanted.length + at] ?? denied])),
  );
}

/** Of what refers to nothing. */
const denied: AccessCheck = Object.freeze({
  allowed: false,
  reasons: Object.freeze(['role_required' as const]),
  reason: 'role_required',
});

interface Question {
  readonly entitlement: string;
  /** Null where there is nothing to ask on. */
  readonly asked: Asked | null;
}

async function checkAll(scope: Scope, questions: readonly Question[]): Promise<readonly (AccessCheck | undefined)[]> {
  const askable = questions.flatMap(({ entitlement, asked }) => {
    if (!asked) return [];
    const { resource, row } = asked;
    return [{ entitlement, ...(resource && { resource }), ...(row && { row }) }];
  });
  const checks = (await scope.access().checkAll(askable)).values();
  return questions.map(({ asked }) => (asked ? checks.next().value : undefined));
}
