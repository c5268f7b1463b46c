import type { AccessDefinition, AccessModel, CallerOrgResolver } from '@x/access';
import type { AuthHooks, AuthOptions, Tenancy, UserFields } from '@x/auth';
import type { Entities, Entity, Model as EntityModel, Service } from '@x/entity';
import type { Logger } from '@x/errors';
import type { Stores } from '@x/store';

/** The part of organizations that a server uses. */
export interface ServerOrganizations<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  readonly entity: Entity;
  readonly services?: readonly Service[];
  /** The models of the tables with which the database has to be opened. */
  readonly models: readonly EntityModel[];
  /** Whether invitations are accepted as soon as an address is proven, so that there has to be a way to prove it. */
  readonly acceptsAtOnce?: boolean;
  readonly orgResolver: CallerOrgResolver;
  /** Connects organizations to the app; returns the tenancy and hooks for auth. */
  connect(app: {
    readonly stores: Stores;
    /** Returns the entities, which are created after auth. */
    readonly entities: () => Pick<Entities, 'within' | 'access'>;
    readonly logger: Logger;
    readonly userFields?: UserFields | undefined;
  }): OrganizationsOfAuth;
  /** Continues deletions that a process left unfinished when it ended; called every ten minutes. */
  completeDeletions?(options: { readonly stores: Stores; readonly signal: AbortSignal }): Promise<void>;
  /** Waits for the mails in progress. */
  drain(): Promise<void>;
}

/** The tenancy of auth, and the hooks that keep organizations consistent with accounts. */
export interface OrganizationsOfAuth extends Partial<Pick<AuthHooks, JoinedHook>> {
  readonly tenant: Tenancy;
}

const joinedHooks = [
  'onUserCreated',
  'onEmailProven',
  'onAccountReclaimed',
  'beforeUserDelete',
  'onUserDeleting',
] as const;

type JoinedHook = (typeof joinedHooks)[number];

type Settings = Pick<AuthOptions, JoinedHook | 'tenant'>;

/** Adds the tenancy and hooks of organizations to the settings of auth. A tenancy of the app takes precedence. */
export function joinOrganizations<Given extends Settings>(given: Given, own: OrganizationsOfAuth | undefined): Given {
  if (!own) return given;
  const hooks = joinedHooks.map((name) => [name, inSequence(given[name] as Hook, own[name] as Hook)] as const);
  return { tenant: own.tenant, ...given, ...Object.fromEntries(hooks) };
}

type Hook = ((subject: object, context: object) => unknown) | undefined;

/** Finds that invitations could never be accepted, because no account can prove its address. */
export function findUnprovable(own: ServerOrganizations | undefined, auth: ProvingSettings): readonly string[] {
  const { emailVerification, passwordReset, providers = [] } = auth;
  const mails = [emailVerification, passwordReset].some(
    (feature) => feature !== undefined && feature.enabled !== false,
  );
  const isProvable = mails || providers.some(({ isTrusted }) => isTrusted);
  if (!own?.acceptsAtOnce || isProvable) return [];
  return [
    "organizations: with invitations.accept 'at-once', auth needs emailVerification, passwordReset or a trusted provider, or no address is ever proven.",
  ];
}

type ProvingSettings = Pick<AuthOptions, 'emailVerification' | 'passwordReset' | 'providers'>;

function inSequence(first: Hook, second: Hook): Hook {
  if (!first || !second) return first ?? second;
  return async (subject, context) => {
    await first(subject, context);
    await second(subject, context);
  };
}
