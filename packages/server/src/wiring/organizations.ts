import type { CallerOrgResolver } from '@x/access';
import type { AuthHooks, AuthOptions, Tenancy } from '@x/auth';
import type { Entities, Entity, Model, Service } from '@x/entity';
import type { Logger } from '@x/errors';
import type { Stores } from '@x/store';

/** Organizations, as far as a server works with them. */
export interface ServerOrganizations {
  readonly entity: Entity;
  readonly services?: readonly Service[];
  /** The models whose tables the database has to be opened with. */
  readonly models: readonly Model[];
  readonly orgResolver: CallerOrgResolver;
  /** Returns what auth asks and tells them. */
  connect(app: {
    readonly stores: Stores;
    /** Returns the entities, which are created after auth. */
    readonly entities: () => Pick<Entities, 'within' | 'access'>;
    readonly logger: Logger;
  }): OrganizationsOfAuth;
}

/** The tenants of auth, and the hooks that keep organizations as accounts are. */
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

/** Adds to the settings of auth what organizations bring. A tenancy of the app stays. */
export function joinOrganizations<Given extends Settings>(given: Given, own: OrganizationsOfAuth | undefined): Given {
  if (!own) return given;
  const hooks = joinedHooks.map((name) => [name, inTurn(given[name] as Hook, own[name] as Hook)] as const);
  return { tenant: own.tenant, ...given, ...Object.fromEntries(hooks) };
}

type Hook = ((subject: object, context: object) => unknown) | undefined;

function inTurn(first: Hook, second: Hook): Hook {
  if (!first || !second) return first ?? second;
  return async (subject, context) => {
    await first(subject, context);
    await second(subject, context);
  };
}
