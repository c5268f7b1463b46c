import { CodedError } from '@x/errors';
import { type Cause, type MailTokenRecord, storeUnavailable, type TransactionStores, type UserRecord } from '@x/store';
import { z } from 'zod';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import { deliver } from '../email/mail.ts';
import { assertMailToken, consumeMailToken, createMailToken, isTokenOf, tokenInvalid } from '../email/mail-token.ts';
import { reclaimAccount } from '../email/reclaim.ts';
import { proveEmail } from '../email/verification.ts';
import { type EventLog, loggedTransaction } from '../events/events.ts';
import { consumeAttempt, isRateLimited } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { removeCredentials, type RemovedCredentials } from '../user/remove-credentials.ts';
import { toUser } from '../user/user.ts';
import type { EnabledReset, PasswordDependencies, ResetIdentity } from './password.ts';
import { assertGoodPassword, passwordSchema } from './policy.ts';

/** The address of the account whose password was forgotten. */
export interface ForgottenPassword {
  /** Any spelling of the address; any text is accepted. */
  readonly email: string;
}

/**
 * Sends a token to the account that has the address, if there is one. The caller can't see which: the account is looked
 * up after the response, and the rate limit on the address does not show in the response either.
 *
 * @throws CodedError `VALIDATION_FAILED` if the address is not a text; `SERVICE_UNAVAILABLE` if the request can't be
 * counted
 */
export async function forgotPassword(
  deps: PasswordDependencies,
  input: unknown,
  request: RequestContext,
): Promise<void> {
  requireReset(deps);
  const { email } = parseInput(forgottenPasswordInput, input);
  const canonical = canonicalizeEmail(email);
  if (await isOverLimit(deps, canonical ?? noAddress, request)) return;
  if (canonical !== null) deliver(deps.events, 'password_reset', () => sendToken(deps, canonical, request));
}

/** The input of {@link forgotPassword}. */
export const forgottenPasswordInput: z.ZodType<ForgottenPassword> = z.strictObject({ email: z.string() });

/** All texts that are not an address are counted under this key. */
const noAddress = '-';

async function isOverLimit(deps: PasswordDependencies, email: string, request: RequestContext): Promise<boolean> {
  try {
    await consumeAttempt(deps.limits, { limit: 'forgotPassword', email }, request);
    return false;
  } catch (error) {
    if (isRateLimited(error)) return true;
    throw error;
  }
}

/** Stores a token that replaces the previous one, and hands it to the app after the commit. */
async function sendToken(deps: PasswordDependencies, email: string, request: RequestContext): Promise<void> {
  const { tokenTtl, onSend } = requireReset(deps);
  const user = await deps.stores.users.findByLoginEmail(email);
  if (user === null || user.disabledAt !== null) return;
  const { token, tokenHash } = createMailToken();
  const expiresAt = new Date(deps.stores.clock.now().getTime() + tokenTtl);
  const record = { userId: user.id, tokenHash, email: user.email, newEmail: null, expiresAt };
  const isStored = await loggedTransaction(deps, request, async (stores, log) => {
    if (!(await stores.passwordResets.replace(record))) return false;
    await log.append(stores, { type: 'password_reset.requested', userId: user.id, tenantId: user.tenantId });
    return true;
  });
  if (!isStored) return;
  const identities = await listKeptIdentities(deps, user);
  await onSend(toUser(user, deps.config), token, { identities, isInvitation: false });
}

/** A reset keeps the identities only if the address was proven before. */
async function listKeptIdentities(
  { stores }: PasswordDependencies,
  { id, emailProvenAt }: UserRecord,
): Promise<readonly ResetIdentity[]> {
  if (emailProvenAt === null) return [];
  return (await stores.oauthAccounts.list(id)).map(({ provider, email }) => ({ provider, email }));
}

/** A token, and the new password. */
export interface PasswordReset {
  /** As mailed. */
  readonly token: string;
  readonly password: string;
}

/**
 * Consumes a mailed token and sets a new password. This also proves the address that the mail went to, and ends the
 * sessions; it starts none. If the password is refused, the token stays valid.
 *
 * An account whose address was proven before keeps its second factor and its identities. One whose address never was is
 * reclaimed, see {@link reclaimAccount}; in an app without e-mail verification, where that says nothing about who
 * signed up, it only loses its identities and sessions.
 *
 * @throws CodedError `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`; `SERVICE_UNAVAILABLE` if too many passwords
 * are waiting to be hashed
 */
export async function resetPassword(
  deps: PasswordDependencies,
  input: unknown,
  request: RequestContext,
): Promise<void> {
  requireReset(deps);
  const reset = parseInput(passwordResetInput, input);
  // Checked before hashing and the app's own check, which are too expensive to run for an attacker who guesses tokens.
  const token = await assertMailToken(deps.stores.passwordResets, reset.token, deps.stores.clock.now());
  await assertGoodPassword(deps.policy, { password: reset.password, email: token.email, path: ['password'] });
  const passwordHash = await deps.hasher.hash(reset.password, request);
  await reclaimUnproven(deps, token, request);
  await loggedTransaction(deps, request, async (stores, log) => {
    const consumed = await consumeMailToken(stores.passwordResets, reset.token);
    const user = await stores.users.findById(consumed.userId);
    if (!isTokenOf(consumed, user)) throw tokenInvalid();
    await setPassword(deps, stores, { user, passwordHash, log });
  });
}

/** The input of {@link resetPassword}. */
export const passwordResetInput: z.ZodType<PasswordReset> = z.strictObject({
  token: z.string(),
  password: passwordSchema,
});

/** The token stays valid until the password is set, so that a reset that fails in between can be repeated with it. */
async function reclaimUnproven(
  deps: PasswordDependencies,
  token: MailTokenRecord,
  request: RequestContext,
): Promise<void> {
  const user = await deps.stores.users.findById(token.userId);
  if (isTokenOf(token, user) && awaitsReclaim(deps, user)) await reclaimAccount(deps.emails, { user }, request);
}

function awaitsReclaim({ emails }: Pick<PasswordDependencies, 'emails'>, { emailProvenAt }: UserRecord): boolean {
  return emailProvenAt === null && emails.config.emailVerification.enabled;
}

async function setPassword(
  deps: PasswordDependencies,
  stores: TransactionStores,
  { user, passwordHash, log }: { readonly user: UserRecord; readonly passwordHash: string; readonly log: EventLog },
): Promise<void> {
  const { id: userId } = user;
  // Changed by others since it was reclaimed; with the same token, the next attempt sees how.
  if (awaitsReclaim(deps, user)) throw storeUnavailable();
  const cause = log.cause({ reason: 'password_reset' });
  const { unlinked } = await endAccess(deps, stores, { user, cause });
  const detail = unlinked.length > 0 ? { unlinked: unlinked.map(({ provider }) => provider) } : {};
  await stores.users.resetPassword(userId, passwordHash, log.cause({ detail, owner: user }));
  await proveEmail(deps.emails, stores, { user, cause });
}

/** Ends the access of others. The user who signed up with an unproven address may not be the reader of its mail. */
async function endAccess(
  deps: PasswordDependencies,
  stores: TransactionStores,
  { user: { id, emailProvenAt }, cause }: { readonly user: UserRecord; readonly cause: Cause },
): Promise<Pick<RemovedCredentials, 'unlinked'>> {
  if (emailProvenAt === null) return removeCredentials(stores, id, cause);
  // An attacker with access to this account may have requested another address.
  await stores.emailVerifications.remove(id);
  if (requireReset(deps).revokeSessionsOnReset) await stores.sessions.revokeAll(id, cause);
  return { unlinked: [] };
}

/**
 * Returns the settings of password reset.
 *
 * @throws CodedError `NOT_FOUND` if it is not enabled
 */
export function requireReset({ config }: Pick<PasswordDependencies, 'config'>): EnabledReset {
  if (!config.passwordReset.enabled) throw new CodedError('NOT_FOUND', 'Password reset is not enabled.');
  return config.passwordReset;
}
