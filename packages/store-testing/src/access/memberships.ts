import type { Membership, RoleHolder, TransactionStores, UserId } from '@x/store';
import { expect } from 'vitest';
import { toResource } from './naive-hierarchy.ts';

/** Reads a membership as in `user:ann in group:eng`, or with a tenant as in `user:ann in group:eng of acme`. */
export function toMembership(text: string): Membership {
  const [member = '', group = '', tenantId = 'acme'] = text.split(/ in | of /);
  return { tenantId, groupId: toResource(group).id, member: toHolder(member) };
}

/** Reads `user:ann` or `group:eng` as a holder of roles. */
export function toHolder(name: string): RoleHolder {
  const { type, id } = toResource(name);
  return type === 'group' ? { groupId: id } : { userId: id as UserId };
}

/** Adds members as in `user:ann in group:eng`. */
export async function addAll({ groups }: TransactionStores, texts: readonly string[]): Promise<void> {
  for (const text of texts) expect(await groups.add(toMembership(text)), text).toBe('added');
}
