import type { AccessCheck } from '@x/access/access-set';
import type { Subscribable } from '../change/signal.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/client-result.ts';

/** A record that was requested with `access`, and so says what the user may do with it. */
export interface WithAccess<Entitlement extends string> {
  readonly __access: { readonly [Name in Entitlement]: AccessCheck };
}

/**
 * What the current user may do, with a record that says so, or else in their tenant. It is advice: the server decides
 * again. Whatever is unknown is denied.
 */
export interface Access<Entitlement extends string = string> {
  /** `loading`: nothing is known yet. `ready` also while nobody is signed in. */
  readonly status: 'loading' | 'ready';
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
  readonly can: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => boolean;
  /** Says why not, too. */
  readonly check: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => AccessCheck;
}

/**
 * What the current user may do, as far as is known. Loaded once somebody subscribes, then again with each new JWT and after
 * each write of this client; if nothing changed, the answer has no body.
 */
export interface AccessClient<Entitlement extends string = string>
  extends Subscribable<Access<Entitlement>>, Pick<Access<Entitlement>, 'can' | 'check'> {
  /** Loads it now: after somebody else changed it. */
  readonly refresh: (options?: CallOptions) => Promise<ClientResult<unknown>>;
}
