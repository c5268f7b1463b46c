import type { NoFields, User, UserFields } from '@x/auth';
import type { AuthClient, SessionState, Subscribable } from '../index.ts';
import { useSession } from './use-session.ts';

/**
 * Returns the required fields of the app that the signed-in user lacks, because no provider gave them or they were
 * declared later, and the call that gives them; null if the user lacks none. Render a form instead of the page while
 * there are any.
 *
 * @example
 * ```ts
 * const missing = useMissingFields(client);
 * if (missing) console.log(`Please tell us: ${missing.names.join(', ')}`);
 * ```
 */
export function useMissingFields<Fields extends UserFields = NoFields>(
  client: FieldsClient<Fields>,
): MissingFields<Fields> | null {
  return missingFields(client, useSession(client));
}

/** Fields to ask a user for. */
export interface MissingFields<Fields extends UserFields = NoFields> {
  readonly names: readonly string[];
  /** Sends values. Once all are there, in any tab, nothing is missing any more. */
  readonly submit: AuthClient<Fields>['updateUser'];
}

/** The part of a client that is used. */
export interface FieldsClient<Fields extends UserFields> {
  readonly auth: Pick<AuthClient<Fields>, 'updateUser'>;
  readonly session: Subscribable<SessionState<Fields>>;
}

/** Returns the result of {@link useMissingFields} for a state of the session. */
export function missingFields<Fields extends UserFields>(
  { auth }: FieldsClient<Fields>,
  { user }: SessionState<Fields>,
): MissingFields<Fields> | null {
  const { incomplete } = (user ?? {}) as Pick<User, 'incomplete'>;
  return incomplete ? { names: incomplete, submit: auth.updateUser } : null;
}
