import { CodedError, validationFailed } from '@x/errors';
import { isStorableText, type Stores, toUserId, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import type { EmailConfig } from '../email/email.ts';
import { type EventDependencies, EventLog } from '../events/events.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { PasswordDependencies } from '../password/password.ts';
import { type ApiRequest, toRequestContext } from '../request/request-context.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { AuthHooks } from '../user/hooks.ts';
import { toUser, type User, type UserConfig } from '../user/user.ts';

/** A user as operators see one. */
export type AdminUser<Fields extends UserFields = NoFields> = User<Fields> & {
  /** Set while the user is disabled and may not sign in. */
  readonly disabledAt: Date | null;
  /** When the address was proven by a mail token or a trusted provider. */
  readonly emailProvenAt: Date | null;
};

/** The operator of an action, for the log. */
export interface AdminAction {
  /** The id of the person or program that acts. `VALIDATION_FAILED` if it is not a text that can be stored. */
  readonly actor?: string;
  readonly request?: ApiRequest;
}

/** The dependencies of operators' actions. */
export interface AdminDependencies {
  readonly config: UserConfig & EmailConfig;
  readonly stores: Stores;
  readonly events: EventDependencies;
  readonly hooks: Pick<AuthHooks, 'onUserCreated'>;
  readonly newUserId: () => UserId;
  readonly passwords: PasswordDependencies;
  readonly mfa: MfaDependencies;
}

/** The work of an operator's step in one transaction. */
type OperatorWork<T> = (stores: TransactionStores, log: EventLog) => Promise<T>;

/** Runs a step in a transaction, and publishes its events, which name the operator, after the commit. */
export async function operatorStep<T>(
  deps: AdminDependencies,
  action: AdminAction = {},
  work: OperatorWork<T>,
): Promise<T> {
  const { actor, request } = action;
  if (actor !== undefined && !isActor(actor)) throw validationFailed([actorIssue]);
  const log = new EventLog(toRequestContext(request), actor);
  const outcome = await deps.stores.transaction((stores) => work(stores, log));
  log.publish(deps.events);
  return outcome;
}

function isActor(actor: unknown): boolean {
  return typeof actor === 'string' && isStorableText(actor);
}

const actorIssue = { path: ['actor'], code: 'invalid_format', message: 'Expected a text without U+0000.' };

/** The role is part of the JWT, and so of a cookie. */
function isRole(role: unknown): role is string {
  return typeof role === 'string' && /^[^\p{C}]{1,64}$/u.test(role) && role.trim() === role;
}

/** @throws CodedError `VALIDATION_FAILED` if the value is no role */
export function assertRole(role: unknown): asserts role is string {
  if (isRole(role)) return;
  throw validationFailed([{ path: ['role'], code: 'invalid_format', message: 'Expected 1 to 64 visible characters.' }]);
}

/** Converts a stored user to the operators' view. Fields that the app did not declare public stay hidden. */
export function toAdminUser({ config }: Pick<AdminDependencies, 'config'>, record: UserRecord): AdminUser {
  return { ...toUser(record, config), disabledAt: record.disabledAt, emailProvenAt: record.emailProvenAt };
}

/** Builds the error for an unknown user id. */
export function userNotFound(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such user.');
}

/** @throws CodedError `NOT_FOUND` if the text cannot be the id of a user */
export function parseUserId(id: unknown): UserId {
  if (typeof id !== 'string' || id === '' || !isStorableText(id)) throw userNotFound();
  return toUserId(id);
}
