import type { AccessDefinition, AccessModel, EntityType } from '@x/access';
import { type Duration, parseDuration, type User } from '@x/auth';
import { type Awaitable, ConfigurationError, findUnknownOptions } from '@x/errors';
import type { Fields } from '@x/entity';
import type { Resource } from '@x/store';
import { memberAccess } from './member-access.ts';

/** The options of `createOrganizations`. */
export interface OrganizationsOptions<
  Access extends AccessModel = AccessModel,
  Own extends Fields = Fields,
  Type extends EntityType<Access> = EntityType<Access>,
> {
  /**
   * Declares the type of organizations with its roles, the highest first, and the entitlements `<type>:read` (to see
   * the organization and its members), `<type>:manage` (to change both) and `<type>:invite`,
   * unless `invitations.entitlement` names another one. Default: owners, admins and members, who all read; owners and
   * admins manage and invite.
   */
  readonly definition?: AccessDefinition<Access>;
  /** The name of the type in the definition. Default `organization`. */
  readonly type?: Type;
  readonly roles?: {
    /** The roles that members can be given. Default: all of the type. */
    readonly assignable?: readonly string[];
    /**
     * A role that an organization never loses the last holder of, that only its holders give and take, and that the
     * creator of an organization gets. Default: the highest role of the type.
     */
    readonly owner?: string;
  };
  readonly invitations?: InvitationOptions;
  /** How many organizations a user may own before they can create no more. Default 50. */
  readonly maxOwned?: number;
  /** The template of the organization that each new account gets of its own; none by default. */
  readonly personal?: (created: { readonly user: User }) => { readonly name: string };
  /** Further fields of the entity `organizations`. */
  readonly fields?: Own;
}

/** How people are invited. */
export interface InvitationOptions {
  /**
   * When an invitation gives its role: `always` when the invited user accepts it, so that no user becomes a member
   * without consent; `at-once`, also as soon as an account has proven the address. Default `always`.
   */
  readonly accept?: 'always' | 'at-once';
  /** The entitlement that people need to invite. Default `<type>:invite`. */
  readonly entitlement?: string;
  /** How long an invitation waits. Default `7d`. */
  readonly ttl?: Duration;
  /**
   * Sends the mail of an invitation. It is not waited for; its errors are logged. It is not called once an address has
   * had ten such mails in an hour, of all organizations together.
   */
  readonly onSend: (invitation: SentInvitation) => Awaitable<void>;
}

/** The contents of the mail of an invitation. */
export interface SentInvitation {
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
  readonly organization: { readonly id: string; readonly name: string };
  /** The resource of the role: the organization, or something below it. */
  readonly resource: Resource;
  /** The address of the user who invites; null for the app itself. */
  readonly invitedBy: string | null;
  /** For a link to a page that calls `POST /api/invitations/join`. Null if an account got the role at once. */
  readonly token: string | null;
  /** When the token ends; null without one. */
  readonly expiresAt: Date | null;
}

/** The options with their defaults. */
export interface Settings {
  readonly definition: AccessDefinition;
  readonly type: string;
  /** All roles of the type, the highest first. */
  readonly roles: readonly string[];
  readonly assignable: readonly string[];
  /** The roles that invitations give: all of those but the owner role. */
  readonly offered: readonly string[];
  readonly ownerRole: string;
  readonly maxOwned: number;
  readonly entitlements: { readonly read: string; readonly manage: string; readonly invite: string };
  readonly accept: 'always' | 'at-once';
  readonly ttlMs: number;
  readonly onSend: InvitationOptions['onSend'] | undefined;
  readonly personal: OrganizationsOptions['personal'];
}

/** @throws ConfigurationError with every problem */
export function toSettings<Access extends AccessModel>(options: OrganizationsOptions<Access>): Settings {
  const { invitations, personal, fields, type = 'organization', maxOwned = 50 } = options;
  const definition: AccessDefinition = options.definition ?? memberAccess;
  const roles = definition.entities[type]?.roles ?? [];
  const [highest = ''] = roles;
  const { assignable = roles, owner: ownerRole = highest } = options.roles ?? {};
  const settings: Settings = {
    definition,
    type,
    roles,
    assignable,
    ownerRole,
    maxOwned,
    personal,
    offered: assignable.filter((role) => role !== ownerRole),
    entitlements: {
      read: `${type}:read`,
      manage: `${type}:manage`,
      invite: invitations?.entitlement ?? `${type}:invite`,
    },
    accept: invitations?.accept ?? 'always',
    ttlMs: parseDuration(invitations?.ttl ?? '7d') ?? 0,
    onSend: invitations?.onSend,
  };
  const problems = [
    ...findUnknownOptions(options, { definition, type, roles, invitations, maxOwned, personal, fields }),
    ...findUnknownOptions(options.roles, { assignable, owner: true }, 'roles'),
    ...findUnknownOptions(invitations, { accept: true, entitlement: true, ttl: true, onSend: true }, 'invitations'),
    ...findProblems(settings),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings;
}

function findProblems(settings: Settings): readonly string[] {
  const { definition, type, roles, assignable, ownerRole, maxOwned, entitlements, accept, ttlMs } = settings;
  if (roles.length === 0) return [`type: the definition has no type "${type}" with roles.`];
  const missing = Object.values(entitlements).filter((name) => !Object.hasOwn(definition.entitlements, name));
  const unknown = [...assignable, ownerRole].filter((role) => !roles.includes(role));
  return [
    ...missing.map((name) => `definition: the entitlement "${name}" is missing, which members of organizations need.`),
    ...unknown.map((role) => `roles: "${type}" has no role "${role}"; it has ${roles.join(', ')}.`),
    ...(['always', 'at-once'].includes(accept) ? [] : ['invitations.accept: must be "always" or "at-once".']),
    ...(ttlMs > 0 ? [] : ['invitations.ttl: must be a duration such as 7d, of at most ten years.']),
    ...(Number.isSafeInteger(maxOwned) && maxOwned > 0 ? [] : ['maxOwned: must be a positive whole number.']),
  ];
}
