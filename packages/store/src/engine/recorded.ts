import type { Membership } from '../access/groups.ts';
import type { MoveEnds, Resource, ResourceEdge } from '../access/hierarchy.ts';
import type { FlagKey } from '../access/flags.ts';
import type { RoleAssignment } from '../access/role-assignments.ts';
import type { SessionRecord } from '../auth/sessions.ts';
import type { UserRecord } from '../auth/users.ts';
import type { LimitOverride, SubscriptionRecord } from '../access/subscriptions.ts';
import type { Cause, NewEvent } from '../events.ts';
import type { EventId, JsonObject, SessionId, UserId } from '../values.ts';

/**
 * The result of a step: its outcome, and the changes that its store has to write to the log in the same transaction.
 */
export interface Recorded<Outcome> {
  readonly outcome: Outcome;
  readonly recorded: readonly LoggedChange[];
}

/** A change as the log has it, without its cause. */
export interface LoggedChange {
  readonly type: AccessChange | AccountChange;
  /** The user whose access or account changed, if it is that of one user. */
  readonly userId?: UserId | undefined;
  /** Default: the tenant that the cause names. */
  readonly tenantId?: string | null;
  /** The tenant of the user or of the session; it is logged if neither the change nor the cause names one. */
  readonly ownTenantId?: string | null;
  /** Default: the session that the cause names. */
  readonly sessionId?: SessionId | null;
  readonly detail: JsonObject;
}

type AccessChange =
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
  | 'flag.set'
  | RowChange['type'];

/** A change of one row of an audited entity. */
export interface RowChange {
  readonly type: 'record.created' | 'record.updated' | 'record.deleted';
  readonly entity: string;
  readonly id: string;
  /** The columns that an update set. */
  readonly fields?: readonly string[];
}

/** The changes of users and sessions. */
const accountChanges = [
  'user.created',
  'user.updated',
  'user.role_changed',
  'user.tenant_changed',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'password.changed',
  'password.reset',
  'email.verified',
  'email.changed',
  'account.reclaimed',
  'sign_in.succeeded',
  'mfa.verified',
  'session.confirmed',
  'session.tenant_switched',
  'session.revoked',
] as const;

/** The type of a change of a user or a session in the log. */
export type AccountChange = (typeof accountChanges)[number];

/**
 * Builds the events of the changes of one step, of which the first has the details of its cause.
 *
 * A role that a user gives themself usually comes with a resource that they create. It is no part of their own history:
 * there `userId` is in the detail.
 */
export function toEvents(changes: readonly LoggedChange[], cause: Cause = {}): readonly NewEvent[] {
  const { by = null, reason, isImplied = false, sessionId = null, ipAddress = null, userAgent = null } = cause;
  return changes.flatMap((change, index) => {
    const { type, userId = null, ownTenantId = null } = change;
    if (isImplied && mayBeImplied.has(type)) return [];
    const isOwnRole = type === 'role.assigned' && userId !== null && userId === by;
    const { tenantId = cause.tenantId === undefined ? ownTenantId : cause.tenantId } = change;
    return {
      id: crypto.randomUUID() as EventId,
      type,
      userId: isOwnRole ? null : userId,
      tenantId,
      sessionId: change.sessionId === undefined ? sessionId : change.sessionId,
      ipAddress,
      userAgent,
      detail: {
        ...(reason !== undefined && { reason }),
        ...(index === 0 && cause.detail),
        ...change.detail,
        ...(isOwnRole && { userId }),
        ...toAuthor(change, by),
      },
    };
  });
}

/** The changes that another one may bring along. */
const mayBeImplied: ReadonlySet<string> = new Set(['sign_in.succeeded', 'user.tenant_changed']);

/** The log of access always names who changed it; that of accounts only an operator, who acts for a user. */
function toAuthor({ type, userId, detail }: LoggedChange, by: string | null): JsonObject {
  if (!isOfAccount(type)) return { by };
  return by === null || by === (userId ?? detail['userId']) ? {} : { actor: by };
}

function isOfAccount(type: string): boolean {
  return (accountChanges as readonly string[]).includes(type);
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

  /** Builds the changes of a removal, from the resource itself on: each names up to 1000 of those below. */
  removal([resource, ...below]: readonly Resource[]): readonly LoggedChange[] {
    if (!resource) return [];
    const parts = below.length > 0 ? toBatches(below) : [[]];
    return parts.map((part) => ({
      type: 'resource.removed',
      detail: { resource: toJson(resource), below: part.map(toJson) },
    }));
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

  user(type: AccountChange, { id, tenantId }: Pick<UserRecord, 'id' | 'tenantId'>): LoggedChange {
    return { type, userId: id, ownTenantId: tenantId, detail: {} };
  },

  /** Builds the change of a user's role. */
  accountRole({ id, tenantId, role }: UserRecord): LoggedChange {
    return { type: 'user.role_changed', userId: id, ownTenantId: tenantId, detail: { role } };
  },

  /** Builds the change of an address. */
  email({ id, tenantId, email }: UserRecord, to: string): LoggedChange {
    return { type: 'email.changed', userId: id, ownTenantId: tenantId, detail: { from: email, to } };
  },

  /** Builds the changes of a deletion: none if it was logged when it began. */
  deletion(user: UserRecord): readonly LoggedChange[] {
    return user.unfinished === 'deletion' ? [] : [logged.user('user.deleted', user)];
  },

  /** Builds the change of the tenant that the next sessions start in, which is no part of the user's own history. */
  homeTenant({ id, tenantId }: UserRecord): LoggedChange {
    return { type: 'user.tenant_changed', ownTenantId: tenantId, detail: { userId: id, to: tenantId } };
  },

  session(type: AccountChange, { id, userId, tenantId }: SessionPlace, detail: JsonObject = {}): LoggedChange {
    return { type, userId, tenantId, sessionId: id, detail };
  },

  /** Builds the change of sessions that move out of a tenant; none if there are none. */
  departure(userId: UserId, from: string, moved: readonly SessionId[]): readonly LoggedChange[] {
    if (moved.length === 0) return [];
    const detail = { from, sessionIds: [...moved] };
    return [{ type: 'session.tenant_switched', userId, tenantId: from, ...toOnlySession(moved), detail }];
  },

  /** Builds the changes of the sessions of one user that ended: one for each tenant that they were in. */
  revocation(ended: readonly SessionPlace[], reason?: 'too_many_sessions'): readonly LoggedChange[] {
    const byTenant = Map.groupBy(ended, ({ tenantId }) => tenantId);
    return Array.from(byTenant, ([tenantId, sessions]): LoggedChange => {
      const sessionIds = sessions.map(({ id }) => id);
      const about = { userId: sessions[0]?.userId, tenantId, ...toOnlySession(sessionIds) };
      return { type: 'session.revoked', ...about, detail: { ...(reason && { reason }), sessionIds } };
    });
  },

  /** Builds the changes of rows: each names up to 1000 rows of an entity that changed in the same way. */
  rows(changes: readonly RowChange[]): readonly LoggedChange[] {
    const alike = Map.groupBy(changes, ({ type, entity, fields = [] }) => [type, entity, ...fields].join(' '));
    return [...alike.values()].flatMap((group) =>
      toBatches(group).map((batch) => {
        const [{ type, entity, fields }] = batch as [RowChange];
        return { type, detail: { entity, ids: batch.map(({ id }) => id), ...(fields && { fields: [...fields] }) } };
      }),
    );
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

type SessionPlace = Pick<SessionRecord, 'id' | 'userId' | 'tenantId'>;

/** An event of several sessions is about none of them. */
function toOnlySession([first, ...others]: readonly SessionId[]): Pick<LoggedChange, 'sessionId'> {
  return { sessionId: first === undefined || others.length > 0 ? null : first };
}

/** How many things one change names. */
const namedAtOnce = 1000;

function toBatches<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / namedAtOnce) }, (_, index) =>
    items.slice(index * namedAtOnce, (index + 1) * namedAtOnce),
  );
}

function toJson({ type, id }: Resource): JsonObject {
  return { type, id };
}
