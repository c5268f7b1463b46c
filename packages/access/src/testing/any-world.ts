import fc from 'fast-check';

import type { AccessModel, EntityModel } from '../definition/access-model.ts';
import type { AccessWorld } from './access-world.ts';
import { drawPlans, toPlanModels, toTenantPlans, worldTenant } from './any-plans.ts';

const types = ['top', 'left', 'right', 'low'];

const roles = ['a', 'b', 'c'];

const flags = ['f', 'g'];

/** The users of a world. */
export const worldUsers: readonly string[] = ['ann', 'ben'];

/** The holders of roles: the users, and then groups, each of which may only be in later ones. */
const holders: readonly string[] = [...worldUsers.map((id) => `user:${id}`), 'group:0', 'group:1', 'group:2'];

const index = fc.nat({ max: 8 });

const role = fc.constantFrom(...roles);

/** A type may inherit from any earlier type, and from itself. */
const inherited = fc.array(fc.tuple(fc.nat({ max: 3 }), role, role), { maxLength: 7 });

const entitlements = fc.array(
  fc.record({ type: fc.nat({ max: 3 }), roles: fc.subarray(roles), flags: fc.subarray(flags) }),
  { minLength: 1, maxLength: 4 },
);

/**
 * Any world of nine resources of up to four types. Edges lead from a resource to later ones, whether or not their types
 * inherit from each other.
 */
export const anyWorld: fc.Arbitrary<AccessWorld> = fc
  .record({
    plans: drawPlans,
    inherits: fc.array(inherited, { minLength: 4, maxLength: 4 }),
    entitlements,
    typeIndexes: fc.array(fc.nat({ max: 3 }), { minLength: 9, maxLength: 9 }),
    edges: fc.uniqueArray(fc.tuple(index, index), { maxLength: 14, selector: String }),
    memberships: fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 6 }),
    assignments: fc.array(fc.tuple(fc.constantFrom(...holders), index, role), { maxLength: 8 }),
    flags: fc.array(
      fc.record({
        tenantId: fc.constantFrom(null, worldTenant, 'other'),
        name: fc.constantFrom(...flags),
        value: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
  })
  .map((drawn) => {
    const models = toEntitlements(drawn.entitlements);
    const resources = drawn.typeIndexes.map((typeIndex, at) => ({ type: types[typeIndex] ?? 'top', id: String(at) }));
    const pick = (at: number): (typeof resources)[number] => resources[at] ?? { type: 'top', id: String(at) };
    return {
      model: { entities: toEntities(drawn.inherits), ...toPlanModels(models, drawn.plans) },
      resources,
      edges: drawn.edges
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => ({ parent: pick(Math.min(a, b)), child: pick(Math.max(a, b)) })),
      memberships: drawn.memberships
        .filter(([low, high]) => low < high && high >= worldUsers.length)
        .map(([low, high]) => ({ member: holders[low] ?? '', group: holders[high] ?? '' })),
      assignments: drawn.assignments.map(([holder, at, role]) => ({ holder, resource: pick(at), role })),
      flags: drawn.flags,
      ...toTenantPlans(models, drawn.plans),
    };
  });

type Drawn<Value> = Value extends fc.Arbitrary<infer Inner> ? Inner : never;

function toEntities(drawn: readonly Drawn<typeof inherited>[]): AccessModel['entities'] {
  return Object.fromEntries(
    types.map((type, at): readonly [string, EntityModel] => [
      type,
      {
        roles,
        inherits: Object.fromEntries(
          (drawn[at] ?? [])
            .filter(([parent]) => parent <= at)
            .map(([parent, from, to]) => [`${types[parent] ?? 'top'}:${from}`, to]),
        ),
      },
    ]),
  );
}

function toEntitlements(drawn: Drawn<typeof entitlements>): AccessModel['entitlements'] {
  return Object.fromEntries(
    drawn.map(({ type, ...entitlement }, at) => [`${types[type] ?? 'top'}:do${at}`, entitlement]),
  );
}
