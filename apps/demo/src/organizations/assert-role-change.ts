import { CodedError } from '@x/errors';
import type { RoleAssignment } from '@x/store';

/** A requested change of a user's role in an organization. */
export interface RoleChange {
  /** All roles that are held directly on the organization. */
  readonly held: readonly RoleAssignment[];
  /** The user who requests it. */
  readonly callerId: string | null;
  readonly userId: string;
  /** Null for none. */
  readonly role: string | null;
}

/**
 * Makes sure that only owners appoint or remove owners, and that one stays.
 *
 * @throws CodedError `FORBIDDEN`, `CONFLICT`
 */
export function assertRoleChange({ held, callerId, userId, role }: RoleChange): void {
  const owners: readonly string[] = held.filter((each) => each.role === owner).map((each) => each.userId);
  const isOwner = owners.includes(userId);
  if (isOwner === (role === owner)) return;
  if (callerId === null || !owners.includes(callerId)) throw ownerRequired();
  if (isOwner && owners.length === 1) throw new CodedError('CONFLICT', 'An organization keeps at least one owner.');
}

const owner = 'owner';

function ownerRequired(): CodedError {
  return new CodedError('FORBIDDEN', 'Only an owner may do this.', {
    reason: 'role_required',
    reasons: ['role_required'],
    meta: { requiredRoles: [owner] },
  });
}
