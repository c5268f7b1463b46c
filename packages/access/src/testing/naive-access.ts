import type { Resource } from '@x/store';

import type { DenialReason } from '../outcome/access-check.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { roleMapOf } from '../definition/compile-access.ts';
import type { AccessWorld } from './access-world.ts';
import { naivePasses, naiveReached } from './naive-plans.ts';

/** One question on a world. */
export interface WorldQuestion {
  readonly userId: string | null;
  readonly entitlement: string;
  readonly resource: Resource;
}

/**
 * The reasons to deny; none means that it is allowed. Every layer is evaluated for itself, and all that deny are
 * reported; deliberately without cleverness.
 */
export function naiveReasons(world: AccessWorld, question: WorldQuestion): readonly DenialReason[] {
  const { model } = world;
  const { userId, entitlement, resource } = question;
  if (userId === null) return ['not_authenticated'];
  if (!Object.hasOwn(model.entitlements, entitlement) || !Object.hasOwn(model.entities, resource.type)) {
    return ['role_required'];
  }
  const roleReasons = naiveRoleReasons(world, { userId, entitlement, resource });
  const flags = model.entitlements[entitlement]?.flags ?? [];
  const isOff = flags.some((name) => !naiveFlag(world, name));
  return [
    ...(naivePasses(world, entitlement) ? [] : (['plan_required'] as const)),
    ...roleReasons.filter((reason) => reason === 'role_required'),
    ...(naiveReached(world, entitlement) ? (['limit_reached'] as const) : []),
    ...(isOff ? (['flag_disabled'] as const) : []),
    ...roleReasons.filter((reason) => reason === 'hierarchy_denied'),
  ];
}

function naiveFlag({ flags, tenantId }: AccessWorld, name: string): boolean {
  const ofTenant = flags.findLast((flag) => flag.name === name && flag.tenantId === tenantId);
  const ofAll = flags.findLast((flag) => flag.name === name && flag.tenantId === null);
  return (ofTenant ?? ofAll)?.value ?? false;
}

function naiveRoleReasons(
  world: AccessWorld,
  { userId, entitlement, resource }: WorldQuestion & { readonly userId: string },
): readonly DenialReason[] {
  const { model } = world;
  const [prefix = ''] = entitlement.split(':');
  const wanted = model.entitlements[entitlement]?.roles ?? [];
  if (wanted.length === 0) return [];
  const isEnough = (type: string, role: string): boolean =>
    mapDown(model, { type, role }, prefix).some((r) => wanted.includes(r));
  const granted = naiveRoles(world, userId, resource);
  if (granted.some((role) => isEnough(resource.type, role))) return [];
  const couldReach = world.assignments.some(
    (assignment) =>
      holdersOf(world, `user:${userId}`).includes(assignment.holder) &&
      mapAnywhere(model, { type: assignment.resource.type, role: assignment.role }).some(
        (place) => place.type === resource.type && isEnough(place.type, place.role),
      ),
  );
  return couldReach && granted.length === 0 ? ['hierarchy_denied'] : ['role_required'];
}

/**
 * A user's roles on a resource are the direct ones, those of their groups among them, and those inherited along every
 * path, each hop mapped.
 */
function naiveRoles(world: AccessWorld, userId: string, resource: Resource): readonly string[] {
  const holders = holdersOf(world, `user:${userId}`);
  const direct = world.assignments
    .filter((assignment) => holders.includes(assignment.holder) && isSame(assignment.resource, resource))
    .map(({ role }) => role);
  const inherits = roleMapOf(world.model.entities, resource.type);
  const inherited = world.edges
    .filter(({ child }) => isSame(child, resource))
    .flatMap(({ parent }) =>
      naiveRoles(world, userId, parent).flatMap((role) => {
        const name = `${parent.type}:${role}`;
        return Object.hasOwn(inherits, name) ? (inherits[name] ?? []) : [];
      }),
    );
  return [...direct, ...inherited];
}

/** The user themself, and every group that they are in, directly or by another one. */
export function holdersOf(world: AccessWorld, holder: string): readonly string[] {
  const above = world.memberships.filter(({ member }) => member === holder);
  return [holder, ...above.flatMap(({ group }) => holdersOf(world, group))];
}

interface Place {
  readonly type: string;
  readonly role: string;
}

/** The roles that a role gives on the types below, where no type nests in itself. */
function mapDown(model: AccessModel, place: Place, target: string): readonly string[] {
  if (place.type === target) return [place.role];
  return childrenOf(model, place)
    .filter((child) => child.type !== place.type)
    .flatMap((child) => mapDown(model, child, target));
}

/** Everything a role can become anywhere below, including itself. */
function mapAnywhere(model: AccessModel, start: Place): readonly Place[] {
  const found = [start];
  for (const place of found) {
    for (const child of childrenOf(model, place)) {
      if (!found.some((other) => other.type === child.type && other.role === child.role)) found.push(child);
    }
  }
  return found;
}

function childrenOf(model: AccessModel, { type, role }: Place): readonly Place[] {
  return Object.keys(model.entities).flatMap((childType) =>
    Object.entries(roleMapOf(model.entities, childType))
      .filter(([name]) => name === `${type}:${role}`)
      .map(([, childRole]) => ({ type: childType, role: childRole })),
  );
}

function isSame(a: Resource, b: Resource): boolean {
  return a.type === b.type && a.id === b.id;
}
