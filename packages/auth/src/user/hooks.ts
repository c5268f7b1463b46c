import { type Awaitable, CodedError } from '@x/errors';
import type { JsonObject, TransactionStores } from '@x/store';
import type { EventDependencies } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { NoFields, UserFields } from './fields.ts';
import type { User } from './user.ts';

/** The context of a hook that runs in a transaction. */
export interface HookContext {
  /** The stores of the hook's transaction: writes through them commit with it, or not at all. */
  readonly stores: TransactionStores;
}

/** The context of hooks that may leave work for after their transaction. */
export interface TransactionContext extends HookContext {
  /** Runs a step once the transaction has been committed, and never if it is not. Its errors are logged. */
  afterCommit(work: () => Awaitable<void>): void;
}

/** The context of hooks whose work may be too much for one transaction. */
export interface BatchContext {
  /**
   * Runs a batch in a transaction of its own, and returns its result. Keep batches small, some hundred rows each: other
   * transactions wait for them. A batch that the database rolls back to resolve a conflict runs once more.
   */
  readonly batch: <T>(work: (context: TransactionContext) => Promise<T>) => Promise<T>;
}

/** Code of an app that auth runs. */
export interface AuthHooks<Fields extends UserFields = NoFields>
  extends EntryHooks<Fields>, StepHooks<Fields>, BatchHooks<Fields> {}

/**
 * Hooks around the ways into an app. They run outside of transactions, so they may take their time. They run once for a
 * request, even if its transaction is tried again. The two that come before may refuse:
 * `throw new CodedError('FORBIDDEN', 'By invitation only.', { reason: 'not_invited' })`. That is the response, or, for
 * a provider's callback, `?error=sign_in_refused&reason=not_invited` at the error page. Other errors are logged and
 * become opaque. In either case nothing has been stored.
 */
interface EntryHooks<Fields extends UserFields> {
  /**
   * Runs before a visitor signs up: by a password that fulfils the policy, or by an identity that is not known yet.
   * With a password, it runs before auth looks whether the address has an account.
   */
  beforeSignUp(signUp: SignUpAttempt, request: RequestContext): Awaitable<void>;
  /**
   * Runs before the session of a user who already has an account, once everything is verified: with a second factor,
   * after its code. A new user's first session is a matter of `beforeSignUp` alone.
   */
  beforeSignIn(signIn: SignInAttempt<Fields>, request: RequestContext): Awaitable<void>;
  /**
   * Runs after a session was started, that of a new user included. The response does not wait for it, and its errors
   * are only logged. A shutdown waits for it.
   */
  afterSignIn(signedIn: StartedSignIn<Fields>, request: RequestContext): Awaitable<void>;
}

/** A person who is about to get an account. */
export interface SignUpAttempt {
  /** The address in canonical form. */
  readonly email: string;
  /** Whether a trusted provider vouches for the address. Otherwise it may belong to another person. */
  readonly isEmailProven: boolean;
  /** The values of the app's own fields. */
  readonly fields: JsonObject;
  /** The provider that they sign up with; null for a password. */
  readonly provider: string | null;
}

/** A user who is about to get a session. */
export interface SignInAttempt<Fields extends UserFields = NoFields> {
  readonly user: User<Fields>;
  /** The provider that they sign in with; null for a password. */
  readonly provider: string | null;
}

/** A user who got a session. */
export interface StartedSignIn<Fields extends UserFields = NoFields> extends SignInAttempt<Fields> {
  /** Whether their account was created with it. */
  readonly isNewUser: boolean;
}

/**
 * Hooks that run in the transaction of a step. One that throws rolls the step back; a `CodedError` becomes the
 * response. Keep them short: other writers may have to wait, and the transaction is rolled back after 5 s.
 */
interface StepHooks<Fields extends UserFields> {
  /** Runs when a user is created, before their first session. If the hook sets a tenant, that session starts in it. */
  onUserCreated(created: UserCreated<Fields>, context: HookContext): Awaitable<void>;
  /** Runs when a user's address is proven for the first time, by a mailed token or a trusted provider. */
  onEmailProven(user: User<Fields>, context: HookContext): Awaitable<void>;
  /** Runs before a user deletes their account. To refuse, throw `new CodedError('CONFLICT', 'why')`. */
  beforeUserDelete(user: User<Fields>, context: TransactionContext): Awaitable<void>;
  /**
   * Runs when the last row of an account is deleted, after `onUserDeleting`. An error does not fail the request: it is
   * logged, and pruning tries again.
   */
  onUserDeleted(user: User<Fields>, context: TransactionContext): Awaitable<void>;
}

/**
 * Hooks that work in batches, outside of a transaction, for any amount of rows. No sign-in to the account succeeds
 * meanwhile. One that throws, or whose process ends, is run again from its beginning: repeating its steps must do no
 * harm.
 */
interface BatchHooks<Fields extends UserFields> {
  /**
   * Runs when the owner of an address takes over an account whose address was never proven, by a password reset or a
   * trusted provider, after the credentials of the previous holder were removed, and before the address is proven. If
   * it throws, the reset or the sign-in fails, and the same link or another sign-in tries again.
   */
  onAccountReclaimed(user: User<Fields>, context: BatchContext): Awaitable<void>;
  /**
   * Runs after a user has deleted their account, to delete the app's rows of them. It can no longer refuse: its errors
   * are logged, and pruning tries again.
   */
  onUserDeleting(user: User<Fields>, context: BatchContext): Awaitable<void>;
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

/** The names of the hooks. */
export const hookNames: Readonly<Record<keyof AuthHooks, true>> = {
  beforeSignUp: true,
  beforeSignIn: true,
  afterSignIn: true,
  onUserCreated: true,
  onEmailProven: true,
  onAccountReclaimed: true,
  beforeUserDelete: true,
  onUserDeleting: true,
  onUserDeleted: true,
};

/** Fills in the hooks that the app does not define, and contains the errors of those that fail. */
export function toHooks(hooks: HookOptions, events: Pick<EventDependencies, 'background' | 'logger'>): AuthHooks {
  const {
    beforeSignUp,
    beforeSignIn,
    afterSignIn,
    onUserCreated = none,
    onEmailProven = none,
    onAccountReclaimed = none,
    beforeUserDelete = none,
    onUserDeleting = none,
    onUserDeleted = none,
  } = hooks;
  return {
    beforeSignUp: beforeSignUp ? guard('beforeSignUp', beforeSignUp) : none,
    beforeSignIn: beforeSignIn ? guard('beforeSignIn', beforeSignIn) : none,
    afterSignIn: afterSignIn ? inBackground(afterSignIn, events) : none,
    onUserCreated,
    onEmailProven,
    onAccountReclaimed,
    beforeUserDelete,
    onUserDeleting,
    onUserDeleted,
  };
}

function none(): void {}

/** Makes a fault of all that a hook throws but a refusal, or an unavailable store. */
function guard<Attempt>(
  name: string,
  hook: (attempt: Attempt, request: RequestContext) => Awaitable<void>,
): (attempt: Attempt, request: RequestContext) => Promise<void> {
  return async (attempt, request) => {
    try {
      await hook(attempt, request);
    } catch (error) {
      if (isRefusal(error) || (error instanceof CodedError && error.status >= 500)) throw error;
      throw new Error(`The hook ${name} failed: ${error instanceof Error ? error.message : 'no error was thrown'}`, {
        cause: error,
      });
    }
  };
}

/** Says whether a hook refused a user, rather than failed. */
export function isRefusal(error: unknown): error is CodedError {
  return error instanceof CodedError && error.code === 'FORBIDDEN';
}

function inBackground(
  hook: AuthHooks['afterSignIn'],
  { background, logger }: Pick<EventDependencies, 'background' | 'logger'>,
): AuthHooks['afterSignIn'] {
  const run = async (...given: Parameters<typeof hook>): Promise<void> => {
    try {
      await hook(...given);
    } catch (err) {
      logger.error({ err }, 'the hook afterSignIn failed');
    }
  };
  return (...given) => background.add(run(...given));
}
