import type { ConditionRow } from '@x/store/where';
import { toBareRecord } from '../access-set/access-set.ts';
import type { AccessCheck } from '../outcome/access-check.ts';
import type { AccessModel, EntitlementName, ModelResource } from '../definition/access-model.ts';
import type { AccessContext } from './access-context.ts';

/** The access of a user to one record, by the names of entitlements: the record's `__access`. */
export type EntityAccess = Readonly<Record<string, AccessCheck>>;

/** A record as a resource. */
export interface RecordResource<Model extends AccessModel = AccessModel> extends ModelResource<Model> {
  /** The record itself, for the rules of entitlements; without it, an entitlement with rules is denied. */
  readonly row?: ConditionRow;
}

/**
 * Checks entitlements on one record, or on each of a page of records in their order, with at most 5 store calls. Throws
 * if a store does.
 *
 * @example
 * ```ts
 * const resources = tasks.map(({ id }) => ({ type: 'task' as const, id }));
 * const access = await computeEntityAccess(['task:update'], resources, context);
 * const items = tasks.map((task, index) => ({ ...task, __access: access[index] }));
 * ```
 */
export function computeEntityAccess<Model extends AccessModel>(
  names: readonly EntitlementName<Model>[],
  resource: RecordResource<Model>,
  context: Pick<AccessContext<Model>, 'records'>,
): Promise<EntityAccess>;
export function computeEntityAccess<Model extends AccessModel>(
  names: readonly EntitlementName<Model>[],
  resources: readonly RecordResource<Model>[],
  context: Pick<AccessContext<Model>, 'records'>,
): Promise<readonly EntityAccess[]>;
export async function computeEntityAccess<Model extends AccessModel>(
  names: readonly EntitlementName<Model>[],
  oneOrMore: RecordResource<Model> | readonly RecordResource<Model>[],
  context: Pick<AccessContext<Model>, 'records'>,
): Promise<EntityAccess | readonly EntityAccess[]> {
  const resources: readonly RecordResource<Model>[] = isList(oneOrMore) ? oneOrMore : [oneOrMore];
  const checks = await context.records.checkEach(
    resources.map(({ row, ...resource }) => ({ entitlements: names, resource, row })),
  );
  const access = checks.map((ofOne) => toBareRecord(ofOne.map((check, at) => [names[at] ?? '', check])));
  return isList(oneOrMore) ? access : (access[0] ?? toBareRecord([]));
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}
