import {
  type AccessContextFactory,
  type AccessContextFactoryOptions,
  type AccessDefinition,
  type AccessModel,
  type CallerOrgResolver,
  createAccessContextFactory,
  hashAccessSet,
} from '@x/access';
import { encodeAccessSet } from '@x/access/access-set';
import { createRequestAccess, type RequestAccess } from '@x/access/hono';
import type { AccessSetPort, Principal } from '@x/auth';
import type { Awaitable } from '@x/errors';
import type { Context } from 'hono';

/** The access definition of an app, and the tenants of its resources. */
export interface AccessSetup<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  /** Default: that of `organizations`. Without organizations, no resource belongs to a tenant. */
  readonly orgResolver?: CallerOrgResolver;
}

/** Creates the access contexts of callers and requests; `requireEntitlement` of `@x/access/hono` takes it. */
export interface ServerAccess<Model extends AccessModel = AccessModel>
  extends AccessContextFactory<Model>, RequestAccess<Model> {}

/** The dependencies of the access of a server. */
export interface ServerAccessOptions<Model extends AccessModel> extends AccessContextFactoryOptions<Model> {
  readonly callerOf: (c: Context) => Awaitable<Principal | null>;
}

/** Creates the access contexts of a server, with the clock of the stores. */
export function createServerAccess<Model extends AccessModel>({
  callerOf,
  ...options
}: ServerAccessOptions<Model>): ServerAccess<Model> {
  const contexts = createAccessContextFactory<Model>(options);
  return { ...contexts, ...createRequestAccess({ contexts, callerOf }) };
}

/** Builds the port through which auth gets the access sets of its users; auth and access do not know each other. */
export function toAccessSetPort({ contextFor }: Pick<ServerAccess, 'contextFor'>): AccessSetPort {
  return async (subject) => {
    const set = encodeAccessSet(await contextFor(subject).readAccessSet());
    return { set, hash: hashAccessSet(set) };
  };
}
