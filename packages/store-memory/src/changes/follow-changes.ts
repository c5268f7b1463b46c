import type { Change, ChangeKind, EntityRow, EntityTable, SessionRecord } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { AssignmentTable, DirectRoles } from '../access/assignment-table.ts';
import { type FlagTable, toTenantId } from '../access/flags.ts';
import type { EdgeTable } from '../access/hierarchy.ts';
import type { AddOnTable, OverrideTable, SubscriptionTable } from '../access/subscriptions.ts';
import type { SessionTable } from '../auth/sessions.ts';
import type { EntityTables } from '../entity/entity-tables.ts';
import type { ChangeLog } from './change-log.ts';

/** The tables whose changes the feed has. */
export interface FollowedTables {
  readonly entities: EntityTables;
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
  readonly memberships: EdgeTable;
  readonly subscriptions: SubscriptionTable;
  readonly addOns: AddOnTable;
  readonly overrides: OverrideTable;
  readonly flags: FlagTable;
  readonly sessions: SessionTable;
  readonly changes: ChangeLog;
}

/** Appends each committed change of the tables to the feed, as the triggers of other engines do. */
export function followChanges(tables: FollowedTables): void {
  const { entities, assignments, edges, memberships, subscriptions, addOns, overrides, flags, sessions, changes } =
    tables;
  const append = (change: Change): void => changes.append(change);
  entities.observe((entity, before, after) => {
    const id = (after ?? before)?.id ?? '';
    const [old, now] = [before && toImage(entity, before), after && toImage(entity, after)];
    append({ kind: 'record', entity: entity.name, id, tenantId: null, before: old, after: now });
  });
  assignments.observe((before, after) => {
    for (const role of rolesOf(before)) if (!rolesOf(after).includes(role)) append(ofRole(before, role, 'before'));
    for (const role of rolesOf(after)) if (!rolesOf(before).includes(role)) append(ofRole(after, role, 'after'));
  });
  edges.observe((_, before, after) => {
    const edge = after ?? before;
    if (!edge || (before && after)) return;
    const image = { parentType: edge.parent.type, parentId: edge.parent.id };
    const place = { kind: 'hierarchy', entity: edge.child.type, id: edge.child.id, tenantId: null } as const;
    append({ ...place, before: before && image, after: after && image });
  });
  memberships.observe((_, before, after) => {
    const edge = after ?? before;
    if (!edge || (before && after)) return;
    const { child, parent } = edge;
    const image = {
      userId: child.type === 'user' ? child.id : null,
      groupId: child.type === 'group' ? child.id : null,
    };
    const place = { kind: 'membership', entity: parent.type, id: parent.id, tenantId: null } as const;
    append({ ...place, before: before && image, after: after && image });
  });
  subscriptions.observe((before, after) => append(ofTenant('plan', before, after, ({ planName }) => ({ planName }))));
  addOns.observe((before, after) => append(ofTenant('addOn', before, after, ({ quantity }) => ({ quantity }))));
  overrides.observe((before, after) => append(ofTenant('override', before, after, ({ max }) => ({ max }))));
  flags.observe(([owner, id], before, after) => {
    const [old, now] = [before, after].map((value) => (value === null ? null : { value }));
    append({ kind: 'flag', entity: 'flag', id, tenantId: toTenantId(owner), before: old ?? null, after: now ?? null });
  });
  sessions.observe((before, after) => {
    const change = ofSession(before, after);
    if (change) append(change);
  });
}

/** Conditions can't read JSON. */
function toImage({ columns }: EntityTable, row: EntityRow): ConditionRow {
  const cells = columns.filter(({ type }) => type !== 'json').map(({ name }) => [name, row[name] ?? null] as const);
  return { id: row.id, ...Object.fromEntries(cells) };
}

function rolesOf(direct: DirectRoles | null): readonly string[] {
  return direct?.roles ?? [];
}

function ofRole(direct: DirectRoles | null, role: string, when: 'before' | 'after'): Change {
  const { type = '', id = '' } = direct?.resource ?? {};
  const { userId = null, groupId = null } = direct?.holder ?? {};
  const image = { userId, groupId, role };
  return { kind: 'role', entity: type, id, tenantId: null, before: null, after: null, [when]: image };
}

/** Something that a tenant has. */
interface TenantRow<Item> {
  readonly tenantId: string;
  readonly name: string;
  readonly item: Item;
}

function ofTenant<Item>(
  kind: ChangeKind,
  before: TenantRow<Item> | null,
  after: TenantRow<Item> | null,
  toItemImage: (item: Item) => ConditionRow,
): Change {
  const { tenantId = null, name = '' } = after ?? before ?? {};
  const [old, now] = [before && toItemImage(before.item), after && toItemImage(after.item)];
  return { kind, entity: kind, id: name, tenantId, before: old, after: now };
}

/** One that has ended already says nothing when it is deleted, and a rotation changes nothing that others rely on. */
function ofSession(before: SessionRecord | null, after: SessionRecord | null): Change | null {
  if (!before) return null;
  const isSame = after && before.ver === after.ver && before.revokedAt?.getTime() === after.revokedAt?.getTime();
  if (isSame || (!after && before.revokedAt !== null)) return null;
  const [old, now] = [toSessionImage(before), after && toSessionImage(after)];
  return { kind: 'session', entity: 'session', id: before.id, tenantId: null, before: old, after: now };
}

function toSessionImage({ userId, ver, revokedAt }: SessionRecord): ConditionRow {
  return { userId, ver, isEnded: revokedAt !== null };
}
