import type { AccessCheck, DenialReason, EncodedAccessSet } from '@x/access/access-set';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/send.ts';
import type { SessionManager } from '../session/session-manager.ts';
import { signedOut } from '../session/session-state.ts';
import type { EntityWrite } from '../session/tab-session.ts';
import { backOffMs } from '../session/time.ts';
import { createSignal, type Subscribable } from '../signal.ts';

/** A record that was requested with `access`, and so has `__access`. */
export interface WithAccess<Entitlement extends string> {
  readonly __access: { readonly [Name in Entitlement]: AccessCheck };
}

/**
 * The entitlements of the current user, on a record that was requested with `access`, or without one in their tenant.
 * Advisory: the server decides again. Unknown entitlements are denied.
 */
export interface Access<Entitlement extends string = string> {
  /** `loading`: nothing is known yet. `ready` also if no user is signed in. */
  readonly status: 'loading' | 'ready';
  /** The version of the access set, as its `ETag`. */
  readonly etag?: string | null | undefined;
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
  readonly can: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => boolean;
  /** Like `can`, with the reasons for a denial. */
  readonly check: <Name extends Entitlement>(entitlement: Name, record?: WithAccess<Name>) => AccessCheck;
}

/**
 * The entitlements of the current user, as far as they are known. Loaded on the first subscription, then again with
 * each new JWT, after each write of this client that does not keep them, and about every five seconds while the server
 * is down: at once while there is a subscriber, or else with the next one. If nothing has changed, the response has no
 * body.
 */
export interface AccessClient<Entitlement extends string = string>
  extends Subscribable<Access<Entitlement>>, Pick<Access<Entitlement>, 'can' | 'check'> {
  /** Reloads it now, for changes by other users, or where a hook of the app counts changes of records. */
  readonly refresh: (options?: CallOptions) => Promise<ClientResult<unknown>>;
}

/** Creates the holder of the current user's access set. For anonymous callers it requests none. */
export function createAccess(session: SessionManager, authPath: string): AccessClient {
  const shown = createSignal<Access>();
  let access: Access & Partial<EncodedAccessSet>;
  let latest = 0;
  let following: unknown;
  let isStale: boolean;

  /** Looks a name up as `decodeAccessSet` does, which would need the list of all names. */
  const check: Access['check'] = (name, record) => {
    if (record) return record.__access?.[name] ?? denied;
    const denial = access.deny?.[name];
    if (denial) return { ...denied, ...denial, reason: denial.reasons[0] as DenialReason };
    return access.allow?.includes(name) ? { allowed: true, reasons: [] } : denied;
  };
  const can: Access['can'] = (name, record) => check(name, record).allowed;
  const show = (status: Access['status'], next?: EncodedAccessSet & Pick<Access, 'etag'>): void => {
    access = { status, plans: {}, ...next, check, can };
    shown.emit(access);
  };
  const refresh = async (options?: CallOptions): Promise<ClientResult<unknown>> => {
    const mine = ++latest;
    const result = await session.request(authPath + '/access-set', {
      ...options,
      headers: { ...(access.etag && { 'If-None-Match': access.etag }) },
    });
    // The latest request wins; and an unchanged set has no body.
    if (mine === latest && result.data) {
      const { accessSet } = result.data as { readonly accessSet: EncodedAccessSet };
      show('ready', { ...accessSet, etag: result.etag });
    }
    // There is no status without a response.
    if (result.error && !((result.error.status as number) < 500)) {
      setTimeout(() => mine === latest && load(), backOffMs(3));
    }
    return result;
  };
  const load = (write?: EntityWrite | void): void => {
    if (write?.[1].keepsAccess) return;
    isStale = !shown.listeners.size;
    if (!isStale && session.getSnapshot().user) void refresh();
  };
  const start = (): void => {
    latest++;
    show(session.getSnapshot() === signedOut ? 'ready' : 'loading');
    load();
  };
  show('loading');
  session.touched.subscribe(load);
  return {
    subscribe(listener) {
      following ??= session.subscribe(start);
      listener(access);
      const stop = shown.subscribe(listener);
      if (isStale) load();
      return stop;
    },
    getSnapshot: () => access,
    can,
    check,
    refresh,
  };
}

const denied = { allowed: false, reasons: ['role_required'], reason: 'role_required' } as const;
