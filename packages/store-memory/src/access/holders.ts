import type { RoleHolder, UserId } from '@x/store';

import type { EdgeTable } from './hierarchy.ts';
import { toResourceKey } from './resource-key.ts';

/** Returns the unique key of a holder of roles: a user's is their id, which contains no U+0000 as a group's does. */
export function toHolderKey({ userId, groupId }: RoleHolder): string {
  return groupId === undefined ? userId : toResourceKey({ type: 'group', id: groupId });
}

/** Copies a caller's holder, so that it can be stored. */
export function copyHolder<Holder extends RoleHolder>(holder: Holder): RoleHolder {
  return holder.groupId === undefined ? { userId: holder.userId } : { groupId: holder.groupId };
}

/** Returns the keys of all groups that a user or a group is in, each once. */
export function groupKeysOf(memberships: EdgeTable, memberKey: string): ReadonlySet<string> {
  const direct = memberships.selectFirst(memberKey);
  if (direct.length === 0) return none;
  const found = new Set(direct.map(({ parentKey }) => parentKey));
  // Iterating a set includes items that are added meanwhile.
  for (const key of found) for (const { parentKey } of memberships.selectFirst(key)) found.add(parentKey);
  return found;
}

/** Returns the key of a user as a member of groups. */
export function toMemberKey(userId: UserId): string {
  return toResourceKey({ type: 'user', id: userId });
}

const none: ReadonlySet<never> = new Set<never>();
