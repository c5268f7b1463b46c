import type { Membership } from '../access/groups.ts';
import type { MoveEnds, Resource, ResourceEdge } from '../access/hierarchy.ts';
import type { FlagKey } from '../access/flags.ts';
import type { RoleAssignment } from '../access/role-assignments.ts';
import type { LimitOverride, SubscriptionRecord } from '../access/subscriptions.ts';
import type { Cause, NewEvent } from '../events.ts';
import type { EventId, JsonObject, UserId } from '../values.ts';

/**
 * The result of a step: its outcome, and the changes that its store has to write to the log in the same transaction.
 */
export interface Recorded<Outcome> {
  readonly outcome: Outcome;
  readonly recorded: readonly LoggedChange[];
}

/** A change as the log has it, without its cause. */
export interface LoggedChange {
  readonly type: ChangeType;
  /** The user whose access changed, if it is that of one user. */
  readonly userId?: UserId | undefined;
  /** Default: the tenant that the cause names. */
  readonly tenantId?: string | null;
  readonly detail: JsonObject;
}

type ChangeType =
  | 'role.assigned'
  | 'role.revoked'
  | 'resource.attached'
  | 'resource.detached'
  | 'resource.moved'
  | 'resource.removed'
  | 'group.member_added'
  | 'group.member_removed'
  | 'group.deleted'
  | 'plan.assigned'
  | 'plan.removed'
  | 'add_on.attached'
  | 'add_on.detached'
  | 'limits.raised'
  | 'flag.set';

/**
 * Builds the events of the changes of one step. A role that a user gives themself comes with the resource that they
 * create, so it is no part of their own history: there `userId` is in the detail.
 */
export function toEvents(changes: readonly LoggedChange[], cause: Cause = {}): readonly NewEvent[] {
  const { by = null, tenantId = null, reason } = cause;
  return changes.map((change) => {
    const isOwnRole = change.type === 'role.assigned' && change.userId === by;
    return {
      id: crypto.randomUUID() as EventId,
      type: change.type,
      userId: isOwnRole ? null : (change.userId ?? null),
      tenantId: change.tenantId === undefined ? tenantId : change.tenantId,
      sessionId: null,
      ipAddress: null,
      userAgent: null,
      detail: { ...change.detail, ...(isOwnRole && { userId: by }), by, ...(reason !== undefined && { reason }) },
    };
  });
}

/** Returns whether a step changed something, and its changes if it did. */
export function recordedIf(isChanged: boolean, ...changes: readonly LoggedChange[]): Recorded<boolean> {
  return { outcome: isChanged, recorded: isChanged ? changes : [] };
}

/** Builds changes as the log has them. */
export const logged = {
  role(type: 'role.assigned' | 'role.revoked', { userId, groupId, resource, role }: RoleAssignment): LoggedChange {
    return { type, userId, detail: { ...(groupId !== undefined && { groupId }), resource: toJson(resource), role } };
  },

  edge(type: 'resource.attached' | 'resource.detached', { child, parent }: ResourceEdge): LoggedChange {
    return { type, detail: { resource: toJson(child), parent: toJson(parent) } };
  },

  move(resource: Resource, { from, to }: MoveEnds): LoggedChange {
    return { type: 'resource.moved', detail: { resource: toJson(resource), from: toJson(from), to: toJson(to) } };
  },

  /** Builds the changes of a removal, of which the resource itself is the first: each names up to 1000 of those below. */
  removal([resource, ...below]: readonly Resource[]): readonly LoggedChange[] {
    if (!resource) return [];
    const count = Math.max(1, Math.ceil(below.length / removedAtOnce));
    return Array.from({ length: count }, (_, index) => {
      const part = below.slice(index * removedAtOnce, (index + 1) * removedAtOnce);
      return { type: 'resource.removed', detail: { resource: toJson(resource), below: part.map(toJson) } };
    });
  },

  membership(
    type: 'group.member_added' | 'group.member_removed',
    { tenantId, groupId, member }: Membership,
  ): LoggedChange {
    const { userId, groupId: inner } = member;
    return { type, userId, tenantId, detail: { groupId, ...(inner !== undefined && { member: { groupId: inner } }) } };
  },

  plan(tenantId: string, { group, planName, startedAt, expiresAt }: SubscriptionRecord): LoggedChange {
    const terms = { startedAt: startedAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
    return { type: 'plan.assigned', tenantId, detail: { plan: planName, group, ...terms } };
  },

  overrides(tenantId: string, overrides: readonly LimitOverride[]): LoggedChange {
    const raised = Object.fromEntries(overrides.map(({ name, max }) => [name, max]));
    return { type: 'limits.raised', tenantId, detail: { overrides: raised } };
  },

  flag({ tenantId, name }: FlagKey, value: boolean | null): LoggedChange {
    return { type: 'flag.set', tenantId, detail: { name, value } };
  },

  /** Builds a change of a tenant's subscription from its event. */
  ofTenant(
    type: 'plan.removed' | 'add_on.attached' | 'add_on.detached' | 'group.deleted',
    tenantId: string,
    detail: JsonObject = {},
  ): LoggedChange {
    return { type, tenantId, detail };
  },
};

const removedAtOnce = 1000;

function toJson({ type, id }: Resource): JsonObject {
  return { type, id };
}
