import type { RoleHolder, UserId } from '@x/store';

// A holder of roles is stored as one text, so that the roles of a user and of all their groups are found by one list.

const [user, group] = ['user:', 'group:'];

/** Encodes a holder of roles. */
export function toHolderText({ userId, groupId }: RoleHolder): string {
  return groupId === undefined ? `${user}${userId}` : `${group}${groupId}`;
}

/** Decodes a holder of roles. */
export function toHolder(text: string): RoleHolder {
  return text.startsWith(group) ? { groupId: text.slice(group.length) } : { userId: text.slice(user.length) as UserId };
}

/** Writes the expression for the holder that a user is, given the expression for their id. */
export function toUserHolder(userId: string): string {
  return `'${user}' || CAST(${userId} AS TEXT)`;
}

/** The condition that a holder is a user, which bounds a range of an index. */
export const isUser: string = `holder > '${user}' AND holder < 'user;'`;

/** Selects the holders whose roles a user has: the user, and each of their groups. A group may be selected twice. */
export function selectHolders(userId: string): string {
  return `
    SELECT ${toUserHolder(userId)} AS holder
    UNION ALL
    SELECT '${group}' || ancestor_id FROM access_group_closure WHERE descendant_type = 'user' AND descendant_id = ${userId}`;
}
