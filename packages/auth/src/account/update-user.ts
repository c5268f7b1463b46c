import { CodedError, unauthenticated } from '@x/errors';
import { z } from 'zod';
import { aboutSession, loggedTransaction } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import { loadActiveSession, requireJwtSession } from '../session/session.ts';
import { changeFields, parseFieldChange } from '../user/field-values.ts';
import type { DeclaredFields } from '../user/declared-fields.ts';
import { toUser, type User, withTenantOf } from '../user/user.ts';
import type { AccountDependencies } from './account.ts';

/**
 * Changes fields of the caller, those that the app lets users change. Others, and those that are absent, stay as they
 * are. JWTs show the change after the next refresh.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`; `NOT_FOUND` if there are no such fields
 */
export async function updateUser(deps: AccountDependencies, input: unknown, request: RequestContext): Promise<User> {
  const editable = editableFields(deps.config.userFields);
  if (Object.keys(editable).length === 0) throw new CodedError('NOT_FOUND', 'Users have no fields to change.');
  const { sid } = await requireJwtSession(deps.sessions, request.headers);
  await loadActiveSession(deps.sessions, sid);
  const change = parseFieldChange(input, editable);
  return loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(sid);
    if (locked === null) throw unauthenticated();
    const { userId, ...place } = aboutSession(locked);
    const fields = changeFields(locked.user.fields, change, deps.config);
    const cause = log.cause({ ...place, detail: { fields: Object.keys(change) } });
    const user = await stores.users.setFields(userId, fields, cause);
    if (user === null) throw unauthenticated();
    return toUser(withTenantOf(locked.session, user), deps.config);
  });
}

/** Returns the fields that users may change. */
export function editableFields(userFields: DeclaredFields): DeclaredFields {
  return Object.fromEntries(Object.entries(userFields).filter(([, { update }]) => update));
}

/** Builds the schema of the input of {@link updateUser}, for those who read it. */
export function createUpdateSchema(editable: DeclaredFields): z.ZodType {
  return z.strictObject(
    Object.fromEntries(Object.entries(editable).map(([name, { schema }]) => [name, schema.optional()])),
  );
}
