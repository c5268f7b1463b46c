import { validationFailed } from '@x/errors';
import { type EventRecord, isStorableText, type TransactionStores } from '@x/store';
import { type AuthEvent, publishEvents, recordEvent, toRevocationEvent } from '../events/events.ts';
import { type ApiRequest, toRequestContext } from '../request/request-context.ts';
import { type AdminDependencies, type AdminUser, parseUserId, toAdminUser, userNotFound } from './read.ts';

/** Who performs an operator's action, for the log. */
export interface AdminAction {
  /** The id of the person or program that acts. `VALIDATION_FAILED` if it is not a text that can be stored. */
  readonly actor?: string;
  readonly request?: ApiRequest;
}

/**
 * Ends all sessions of a user; from then on, sign-in refuses them like a wrong password. If the user is already
 * disabled, `disabledAt` stays as it is.
 */
export function disableUser(deps: AdminDependencies, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(deps, action, async (stores, record) => {
    const user = await stores.users.setDisabled(parseUserId(id), true);
    if (user === null) throw userNotFound();
    const sessionIds = [...(await stores.sessions.revokeAll(user.id))];
    await record({ type: 'user.disabled', userId: user.id, tenantId: user.tenantId, detail: { sessionIds } });
    return toAdminUser(deps, user);
  });
}

/** Lets a disabled user sign in again. The sessions that were ended stay ended. */
export function enableUser(deps: AdminDependencies, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(deps, action, async (stores, record) => {
    const user = await stores.users.setDisabled(parseUserId(id), false);
    if (user === null) throw userNotFound();
    await record({ type: 'user.enabled', userId: user.id, tenantId: user.tenantId });
    return toAdminUser(deps, user);
  });
}

/**
 * Gives a user a role. JWTs that name the old one are refused; the sessions stay and can be refreshed.
 *
 * @throws CodedError `VALIDATION_FAILED` if the role is not a text of 1 to 64 visible characters
 */
export async function setRole(
  deps: AdminDependencies,
  { id, role }: { readonly id: string; readonly role: string },
  action?: AdminAction,
): Promise<AdminUser> {
  if (!isRole(role)) {
    throw validationFailed([
      { path: ['role'], code: 'invalid_format', message: 'Expected 1 to 64 visible characters.' },
    ]);
  }
  return operatorStep(deps, action, async (stores, record) => {
    const user = await stores.users.setRole(parseUserId(id), role);
    if (user === null) throw userNotFound();
    await stores.sessions.raiseVer(user.id);
    await record({ type: 'user.role_changed', userId: user.id, tenantId: user.tenantId, detail: { role } });
    return toAdminUser(deps, user);
  });
}

/** The role is part of the JWT, and so of a cookie. */
function isRole(role: unknown): role is string {
  return typeof role === 'string' && /^[^\p{C}]{1,64}$/u.test(role) && role.trim() === role;
}

/**
 * Ends all sessions of a user.
 *
 * @returns how many it ended
 * @throws CodedError `NOT_FOUND`
 */
export function signOutUser(
  deps: AdminDependencies,
  id: string,
  action?: AdminAction,
): Promise<{ readonly revoked: number }> {
  return operatorStep(deps, action, async (stores, record) => {
    const user = await stores.users.findById(parseUserId(id));
    if (user === null) throw userNotFound();
    const ended = await stores.sessions.revokeAll(user.id);
    const about = { userId: user.id, tenantId: user.tenantId };
    if (ended.length > 0) await record(toRevocationEvent({ ...about, ended, reason: 'operator' }));
    return { revoked: ended.length };
  });
}

/** The work of an operator's step in one transaction; `record` appends an event to the log there, with the actor. */
type OperatorWork<T> = (stores: TransactionStores, record: (event: AuthEvent) => Promise<void>) => Promise<T>;

/** Runs a step in a transaction, and after the commit publishes the events that it recorded. */
async function operatorStep<T>(
  deps: AdminDependencies,
  { actor, request }: AdminAction = {},
  work: OperatorWork<T>,
): Promise<T> {
  if (actor !== undefined && !isActor(actor)) throw validationFailed([actorIssue]);
  const context = toRequestContext(request);
  const recorded: EventRecord[] = [];
  const outcome = await deps.stores.transaction((stores) =>
    work(stores, async (event) => {
      const detail = { ...event.detail, ...(actor !== undefined && { actor }) };
      recorded.push(await recordEvent(stores, { ...event, detail }, context));
    }),
  );
  publishEvents(deps.events, recorded);
  return outcome;
}

function isActor(actor: unknown): boolean {
  return typeof actor === 'string' && isStorableText(actor);
}

const actorIssue = { path: ['actor'], code: 'invalid_format', message: 'Expected a text without U+0000.' };
