import type { AccessCheck } from '@x/access/access-set';
import type { Subscribable } from '../change/signal.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/client-result.ts';

/** A record that was requested with `access`, and so has `__access`. */
export interface WithAccess<Entitlement extends string> {
  readonly __access: { readonly [Name in Entitlement]: AccessCheck };
}

/**
 * What the current user may do, with a record that was requested with `access`, or without one in their tenant.
 * Advisory: the server decides again. Whatever is unknown is denied.
 */
export interface Access<Entitlement extends string = string> {
  /** `loading`: nothing is known yet. `ready` also if nobody is signed in. */
  readonly status: 'loading' | 'ready';
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
  readonly can: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => boolean;
  /** Like `can`, with the reasons for a denial. */
  readonly check: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => AccessCheck;
}

/**
 * What the current user may do, as far as is known. Loaded once somebody subscribes, then again with each new JWT and
 * after each write of this client; if nothing has changed, the response has no body.
 */
export interface AccessClient<Entitlement extends string = string>
  extends Subscribable<Access<Entitlement>>, Pick<Access<Entitlement>, 'can' | 'check'> {
  /** Reloads it now, for changes made by somebody else. */
  readonly refresh: (options?: CallOptions) => Promise<ClientResult<unknown>>;
}
