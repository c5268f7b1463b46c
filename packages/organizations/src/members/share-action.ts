import { rules } from '@x/access';
import { resourceTypeOf } from '@x/access/rule';
import { type ActionTools, type Model, type RecordAction, recordAction } from '@x/entity';
import { z } from 'zod';
import { emailAddress } from '../email-address.ts';
import type { InvitationRequest } from '../invitations/invite.ts';
import type { RoleRequest } from './members.ts';

/** A role that a caller gives a user, or the owner of an address; null takes that of a user away. */
export type Share<Role extends string> =
  { readonly userId: string; readonly role: Role | null } | { readonly email: string; readonly role: Role };

type In<T> = z.ZodType<T, T>;

/** The action by which people share a record. */
export type ShareAction<M extends Model, Role extends string> = RecordAction<
  M,
  In<Share<Role>>,
  In<{ readonly ok: true }>,
  'POST',
  undefined
>;

/** Who may share a record, and as what. */
export interface ShareOptions<Role extends string> {
  /** An entitlement on the record, whose type it begins with. */
  readonly entitlement: string;
  /** The roles that can be given. */
  readonly roles: readonly Role[];
}

/** What organizations do for it. */
interface Sharing {
  invite(tools: ActionTools, request: InvitationRequest): Promise<void>;
  giveRole(tools: ActionTools, request: RoleRequest): Promise<void>;
}

/** Creates the action by which people share a record: with a member, or with anybody by mail. */
export function createShareAction<M extends Model, Role extends string>(
  sharing: Sharing,
  model: M,
  { entitlement, roles }: ShareOptions<Role>,
): ShareAction<M, Role> {
  const role: In<Role> = z.enum(roles);
  const input: In<Share<Role>> = z.union([
    z.strictObject({ userId: z.string(), role: role.nullable() }),
    z.strictObject({ email: emailAddress, role }),
  ]);
  return recordAction(model, {
    summary: 'Give a role here to a user or to the owner of an address, or take that of a user away',
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    rule: rules.entitlement(entitlement),
    input,
    output: z.strictObject({ ok: z.literal(true) }),
    async handler({ record, input: share, ...tools }) {
      const resource = { type: resourceTypeOf(entitlement), id: String(record['id']) };
      const permission = { entitlement, resource, entity: model.name };
      if ('email' in share) await sharing.invite(tools, { ...permission, ...share });
      else await sharing.giveRole(tools, { ...permission, ...share });
      return { ok: true } as const;
    },
  });
}
