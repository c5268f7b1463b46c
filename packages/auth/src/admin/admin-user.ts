import { CodedError } from '@x/errors';
import type { UserId, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import type { ApiRequest } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import type { User } from '../user/user.ts';

/** A user as operators see one. */
export interface AdminUser extends User {
  /** Set while the user is disabled and may not sign in. */
  readonly disabledAt: Date | null;
  /** When the address was proven by a mail token or a trusted provider. */
  readonly emailProvenAt: Date | null;
}

/** Who performs an operator's action, for the log. */
export interface AdminAction {
  /** The id of the person or program that acts. */
  readonly actor?: string;
  readonly request?: ApiRequest;
}

/** Converts a stored user to the operators' view; fields that the app did not declare public stay hidden. */
export function toAdminUser({ config }: Pick<AuthContext, 'config'>, record: UserRecord): AdminUser {
  return { ...toUser(record, config), disabledAt: record.disabledAt, emailProvenAt: record.emailProvenAt };
}

/** Builds the error for an unknown user id. */
export function userNotFound(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such user.');
}

/**
 * Parses the id of a user.
 *
 * @throws CodedError `NOT_FOUND` if the text cannot be the id of a user
 */
export function parseUserId(id: unknown): UserId {
  if (!isStorableText(id) || id === '') throw userNotFound();
  return id as UserId;
}

/** Says whether a value is a text that every store can store and look up. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}
