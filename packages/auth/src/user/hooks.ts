import type { Awaitable } from '@x/errors';
import type { TransactionStores } from '@x/store';
import type { NoFields, UserFields } from './fields.ts';
import type { User } from './user.ts';

/** What a hook receives. */
export interface HookContext {
  /** The stores of the hook's transaction: writes through them commit with it, or not at all. */
  readonly stores: TransactionStores;
}

/**
 * Code of an app that runs in the transaction of a step. A hook that throws rolls the step back; a `CodedError` becomes
 * the response. Keep hooks short: other writers may have to wait, and the transaction is rolled back after 5 s.
 */
export interface AuthHooks<Fields extends UserFields = NoFields> {
  /** Runs when a user is created, before their first session. If the hook sets a tenant, that session starts in it. */
  onUserCreated(created: UserCreated<Fields>, context: HookContext): Awaitable<void>;
  /** Runs when a user's address is proven for the first time, by a mailed token or a trusted provider. */
  onEmailProven(user: User<Fields>, context: HookContext): Awaitable<void>;
  /**
   * Runs when the owner of an address takes over an account whose address was never proven, by a password reset or a
   * trusted provider, after what could let the previous holder in was removed.
   */
  onAccountReclaimed(user: User<Fields>, context: HookContext): Awaitable<void>;
  /** Runs before a user deletes their account. To refuse, throw `new CodedError('CONFLICT', 'why')`. */
  beforeUserDelete(user: User<Fields>, context: HookContext): Awaitable<void>;
  /** Runs when the account is deleted. */
  onUserDeleted(user: User<Fields>, context: HookContext): Awaitable<void>;
}

/** A user who was just created. */
export interface UserCreated<Fields extends UserFields = NoFields> {
  readonly user: User<Fields>;
  /** The provider that they signed up with; null for a sign-up with a password. */
  readonly provider: string | null;
}

/** The hooks that an app defines. */
export type HookOptions<Fields extends UserFields = NoFields> = {
  readonly [Name in keyof AuthHooks]?: AuthHooks<Fields>[Name] | undefined;
};

/** Fills in the hooks that the app does not define. */
export function toHooks(hooks: HookOptions): AuthHooks {
  const {
    onUserCreated = none,
    onEmailProven = none,
    onAccountReclaimed = none,
    beforeUserDelete = none,
    onUserDeleted = none,
  } = hooks;
  return { onUserCreated, onEmailProven, onAccountReclaimed, beforeUserDelete, onUserDeleted };
}

function none(): void {}
