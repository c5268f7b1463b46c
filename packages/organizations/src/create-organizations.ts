import type { AccessDefinition, AccessModel, EntityRole, EntityType } from '@x/access';
import type { AuthHooks, Tenancy, UserFields } from '@x/auth';
import type { ActionTools, Entities, Fields, Model } from '@x/entity';
import { type Logger, notFound, toLogger } from '@x/errors';
import type { Resource, Stores } from '@x/store';
import { acceptInvitations } from './invitations/accept.ts';
import { invite, type InvitationRequest } from './invitations/invite.ts';
import { createInvitationService, type InvitationService } from './invitations/service.ts';
import { invitationModel } from './invitations/stored-invitation.ts';
import { linkModel } from './links/links.ts';
import { giveRole, type RoleRequest } from './members/members.ts';
import { createShareAction, type ShareAction, type ShareOptions } from './members/share-action.ts';
import { readName } from './members/people.ts';
import { createTenancy } from './members/tenancy.ts';
import { createModel } from './model.ts';
import { createOrgResolver, type OrganizationResolver } from './org-resolver.ts';
import { startWorkspace } from './organization/create.ts';
import { deleteOwn, keepShared } from './organization/delete.ts';
import { completeDepartures, departureModel } from './organization/departures.ts';
import { createEntity, type OrganizationEntity } from './organization/entity.ts';
import { recoverPreHijacked } from './reclaim.ts';
import type { MemberAccess } from './member-access.ts';
import { createInvitationMailer } from './send-invitation.ts';
import { type OrganizationsOptions, type Settings, toSettings } from './settings.ts';

/** Organizations as the tenants of an app; give them to `createServer`. */
export interface Organizations<
  Own extends Fields = {},
  Role extends string = string,
  Access extends AccessModel = AccessModel,
> {
  /** The access definition of the app, which is that of the server, too. */
  readonly definition: AccessDefinition<Access>;
  /** The entity `organizations`, for clients to be typed by. */
  readonly entity: OrganizationEntity<Own, Role>;
  /** The services that those call who are invited. */
  readonly services: readonly [InvitationService];
  /** The models whose tables the database has to be opened with. */
  readonly models: readonly Model[];
  /** Whether an account gets the roles that its address was invited to as soon as the address is proven. */
  readonly acceptsAtOnce: boolean;
  /** Finds the organization above a resource or, without one, the caller's current organization. */
  readonly orgResolver: OrganizationResolver;
  /** The questions and events of auth that organizations answer and hear, once the stores are open. */
  connect(app: ConnectedApp): OrganizationsAuth;
  /**
   * Invites an address to a role on something below an organization, by the same rules as to the organization itself.
   * Sends the mail of the invitation.
   *
   * @throws CodedError `RATE_LIMITED`; `FORBIDDEN` if the caller does not have the entitlement; `NOT_FOUND` if the
   * resource is below no organization
   */
  invite(tools: ActionTools, request: InvitationRequest): Promise<void>;
  /**
   * Gives a user a role on something below an organization, replacing theirs there; null takes theirs away.
   *
   * @throws CodedError `NOT_FOUND` for an unknown id, and if the resource is below no organization; `FORBIDDEN` if the
   * caller does not have the entitlement
   */
  giveRole(tools: ActionTools, request: RoleRequest): Promise<void>;
  /**
   * Creates the action by which people share a record below an organization: `{ userId, role }` does {@link giveRole},
   * `{ email, role }` does {@link invite}.
   *
   * @example
   * ```ts
   * const share = ours.shareAction(folderModel, { entitlement: 'folder:share', roles: ['editor', 'viewer'] });
   * ```
   */
  shareAction<M extends Model, const Shared extends string>(
    model: M,
    options: ShareOptions<Shared>,
  ): ShareAction<M, Shared>;
  /**
   * Moves the members of deleted organizations to others of theirs, if a process ended before it was done. A server does
   * so every ten minutes.
   */
  completeDeletions(options: { readonly stores: Stores; readonly signal?: AbortSignal }): Promise<void>;
  /** Waits for the mails in progress. A server that closes does so before it closes the stores. */
  drain(): Promise<void>;
}

/** The app that organizations are a part of. */
interface ConnectedApp {
  readonly stores: Stores;
  /** Returns the entities, which are created after auth. */
  readonly entities: () => Pick<Entities, 'within' | 'access'>;
  readonly logger?: Logger;
  /** The app's own fields of users. */
  readonly userFields?: UserFields | undefined;
}

/** The settings of auth that organizations bring. */
export interface OrganizationsAuth extends Pick<
  AuthHooks,
  'onUserCreated' | 'onEmailProven' | 'onAccountReclaimed' | 'beforeUserDelete' | 'onUserDeleting'
> {
  readonly tenant: Tenancy;
}

/**
 * Creates organizations, in which people work together, with members, invitations and plans.
 *
 * @throws ConfigurationError with every problem of the options, unknown ones included
 * @example
 * ```ts
 * const organizations = createOrganizations({ invitations: { onSend: ({ email }) => mail(email) } });
 * const server = await createServer({ auth, organizations });
 * ```
 */
export function createOrganizations<
  Access extends AccessModel = MemberAccess,
  Own extends Fields = {},
  const Type extends EntityType<Access> = EntityType<Access> & 'organization',
>(options: OrganizationsOptions<Access, Own, Type> = {}): Organizations<Own, EntityRole<Access, Type>, Access> {
  const settings = toSettings(options);
  const model = createModel(options.fields ?? {});
  let logger = toLogger(undefined);
  let showsNames = false;
  const { send, drain } = createInvitationMailer(settings, () => logger);
  const entity = createEntity(settings, model, send, (user) => (showsNames ? readName(user) : undefined));
  const sharing: Pick<Organizations, 'invite' | 'giveRole'> = {
    async invite(tools, request) {
      const organizationId = await findOrganization(settings, tools, request);
      send(tools.stores, await invite(settings, tools, { ...request, organizationId }));
    },
    async giveRole(tools, request) {
      const organizationId = await findOrganization(settings, tools, request);
      await giveRole(settings, tools, { ...request, organizationId });
    },
  };
  return {
    // Without a definition, `Access` is what `settings` have in its place.
    definition: settings.definition as AccessDefinition<Access>,
    // Fields of the app change nothing about the actions, and the definition names the roles.
    entity: entity as unknown as OrganizationEntity<Own, EntityRole<Access, Type>>,
    services: [createInvitationService(settings)],
    models: [model, invitationModel, linkModel, departureModel],
    acceptsAtOnce: settings.accept === 'at-once',
    orgResolver: createOrgResolver(settings),
    connect(app) {
      const { stores } = app;
      logger = app.logger ?? logger;
      const name = app.userFields?.['name'];
      showsNames = name !== undefined && name.public !== false;
      return {
        tenant: createTenancy(settings, stores),
        onUserCreated: startWorkspace(settings, stores.clock),
        onEmailProven: acceptInvitations(settings, { clock: stores.clock, entities: app.entities }),
        onAccountReclaimed: recoverPreHijacked(settings, stores.clock),
        beforeUserDelete: keepShared(settings),
        onUserDeleting: deleteOwn(settings, { entity, entities: app.entities }),
      };
    },
    ...sharing,
    shareAction: (shared, given) => createShareAction(sharing, shared, given),
    completeDeletions: ({ stores, signal }) => completeDepartures(settings, stores, signal),
    drain,
  };
}

/** @throws CodedError `NOT_FOUND` */
async function findOrganization(
  { type }: Pick<Settings, 'type'>,
  { stores }: Pick<ActionTools, 'stores'>,
  { resource }: { readonly resource: Resource },
): Promise<string> {
  const above = await stores.hierarchy.ancestors(resource);
  const organization = above.find((each) => each.resource.type === type);
  if (!organization) throw notFound();
  return organization.resource.id;
}
