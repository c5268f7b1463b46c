import type { AccessCheck } from '@x/access/access-set';
import type { Subscribable } from '../change/signal.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/client-result.ts';

/** A record that says what the user may do with it: one that was asked for with `access`. */
export interface WithAccess<Entitlement extends string> {
  readonly __access: { readonly [Name in Entitlement]: AccessCheck };
}

/**
 * What the current user may do: with a record that says so, or else in their tenant. It is advice, for the server decides
 * again. What is not known is denied.
 */
export interface Access<Entitlement extends string = string> {
  /** `loading`: nothing is known yet. Of somebody who is not signed in all is known. */
  readonly status: 'loading' | 'ready';
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
  readonly can: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => boolean;
  /** Tells why not, too. */
  readonly check: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => AccessCheck;
}

/**
 * What the current user may do, as far as is known. It is asked for once somebody subscribes, and then again with each new
 * JWT and after what this client writes: without a body where it is still the same.
 */
export interface AccessClient<Entitlement extends string = string>
  extends Subscribable<Access<Entitlement>>, Pick<Access<Entitlement>, 'can' | 'check'> {
  /** Asks for it now, for what somebody else changed. */
  readonly refresh: (options?: CallOptions) => Promise<ClientResult<unknown>>;
}
