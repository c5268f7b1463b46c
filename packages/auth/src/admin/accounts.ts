import { CodedError, rateLimited } from '@x/errors';
import type { NewUser, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { allowMail, deliver } from '../email/mail.ts';
import { createMailToken } from '../email/mail-token.ts';
import type { LoggedStep } from '../events/events.ts';
import { assertGoodPassword, passwordSchema } from '../password/policy.ts';
import { requireReset } from '../password/reset.ts';
import { parseInput, toPlainInput } from '../request/parse-input.ts';
import { toRequestContext } from '../request/request-context.ts';
import { changeFields, parseFieldChange, toProfileFields } from '../user/field-values.ts';
import type { FieldInputs, NoFields, UserFields } from '../user/fields.ts';
import { storeNewUser, toNewUser, userExists } from '../user/new-user.ts';
import { toUser } from '../user/user.ts';
import {
  type AdminAction,
  type AdminDependencies,
  type AdminUser,
  assertRole,
  operatorStep,
  parseUserId,
  toAdminUser,
  userNotFound,
} from './operator-step.ts';

/** A user whom an operator invites. */
export interface InvitedByOperator<Fields extends UserFields = NoFields> {
  /** Any spelling of the address. */
  readonly email: string;
  /** 1 to 64 visible characters. Default `user`; a user who was invited before keeps theirs. */
  readonly role?: string;
  /** Values of the app's own fields. Required ones may be absent: the user is `incomplete` then. */
  readonly fields?: Partial<FieldInputs<Fields>>;
}

/** A user whom an operator creates. */
export interface CreatedByOperator<Fields extends UserFields = NoFields> extends InvitedByOperator<Fields> {
  /** Default: none. */
  readonly password?: string;
  /**
   * Whether the app shows the address as verified, which proves nothing. Where addresses are not verified, it does in
   * any case. Default: false.
   */
  readonly emailVerified?: boolean;
}

const invitedInput = z.strictObject({
  email: emailSchema,
  role: z.string().optional(),
  fields: z.unknown().optional(),
});

const createdInput = invitedInput.extend({
  password: passwordSchema.optional(),
  emailVerified: z.boolean().optional(),
});

/** The password is checked and hashed before the transaction, where other transactions would wait for it. */
export async function createUser(deps: AdminDependencies, input: unknown, action?: AdminAction): Promise<AdminUser> {
  const { password, ...user } = parseInput(createdInput, toPlainInput(input));
  const { email } = user;
  const newUser = parseNewUser(deps, user);
  if (password !== undefined) await assertGoodPassword(deps.passwords.policy, { password, email, path: ['password'] });
  const passwordHash = password === undefined ? null : await hash(deps, password, action);
  return operatorStep(deps, action, async (stores, log) => {
    const created = await storeNewUser(deps, { stores, log }, { ...newUser, passwordHash });
    if (created === null) throw userExists();
    return toAdminUser(deps, created);
  });
}

/** How long an invitation is good. */
const invitationMs = 7 * 86_400_000;

/**
 * The token is that of a password reset, so that a user who accepts sets the first password and proves the address. A
 * user who is invited again gets the role and the fields of the later invitation.
 */
export async function inviteUser(deps: AdminDependencies, input: unknown, action?: AdminAction): Promise<AdminUser> {
  const { onSend } = requireReset(deps.passwords);
  const invitation = parseInput(invitedInput, toPlainInput(input));
  const newUser = parseNewUser(deps, invitation);
  if (!(await allowMail(deps.stores, newUser.email))) throw rateLimited(3600);
  const { token, tokenHash } = createMailToken();
  const expiresAt = new Date(deps.stores.clock.now().getTime() + invitationMs);
  const invited = await operatorStep(deps, action, async (stores, log) => {
    const created = await storeNewUser(deps, { stores, log }, newUser);
    const user = created ?? (await changeInvited(deps, { stores, log }, invitation));
    const { id: userId, tenantId, email } = user;
    await stores.passwordResets.replace({ userId, tokenHash, email, newEmail: null, expiresAt });
    await log.append(stores, { type: 'password_reset.requested', userId, tenantId, detail: { invitation: true } });
    return user;
  });
  const details = { identities: [], isInvitation: true };
  deliver(deps.events, 'invitation', () => onSend(toUser(invited, deps.config), token, details));
  return toAdminUser(deps, invited);
}

/** Gives an invited user the role and the fields of another invitation. */
async function changeInvited(
  { config }: AdminDependencies,
  { stores, log }: LoggedStep,
  { email, role, fields = {} }: z.output<typeof invitedInput>,
): Promise<UserRecord> {
  let user = await findInvited(stores, email);
  const { id: userId } = user;
  const change = parseFieldChange(fields, config.userFields);
  if (role !== undefined && role !== user.role) {
    user = (await stores.users.setRole(userId, role, log.cause())) ?? user;
  }
  if (Object.keys(change).length > 0) {
    const cause = log.cause({ detail: { fields: Object.keys(change) } });
    user = (await stores.users.setFields(userId, changeFields(user.fields, change, config), cause)) ?? user;
  }
  return user;
}

/**
 * Finds and locks a user who was created without a password and has not signed in yet.
 *
 * @throws CodedError `USER_EXISTS` if the address is another user's
 */
async function findInvited({ users }: TransactionStores, email: string): Promise<UserRecord> {
  const found = await users.findByLoginEmail(email);
  const holder = found && (await users.lock(found.id));
  const isWaiting = holder?.passwordHash === null && holder.emailProvenAt === null && holder.disabledAt === null;
  if (!holder || !isWaiting) throw userExists();
  return holder;
}

/**
 * An attacker who knew the old password may have requested another address or password, so all mailed tokens become
 * void, as with a change by the user.
 */
export async function setPassword(
  deps: AdminDependencies,
  { id, password }: { readonly id: string; readonly password: unknown },
  action?: AdminAction,
): Promise<AdminUser> {
  const parsed = parseInput(z.strictObject({ password: passwordSchema }), { password });
  const before = await deps.stores.users.findById(parseUserId(id));
  if (before === null) throw userNotFound();
  const { email, loginEmail } = before;
  // A password needs an address to sign in with.
  if (loginEmail === null) throw new CodedError('EMAIL_NOT_VERIFIED', 'The user has no address to sign in with.');
  await assertGoodPassword(deps.passwords.policy, { password: parsed.password, email, path: ['password'] });
  const passwordHash = await hash(deps, parsed.password, action);
  return operatorStep(deps, action, async (stores, log) => {
    const owner = await stores.users.lock(before.id);
    if (owner === null) throw userNotFound();
    const user = await stores.users.setPassword(owner.id, passwordHash, log.cause({ reason: 'operator', owner }));
    if (user === null) throw userNotFound();
    await stores.passwordResets.remove(user.id);
    await stores.emailVerifications.remove(user.id);
    await stores.sessions.revokeAll(user.id, log.cause({ reason: 'operator' }));
    return toAdminUser(deps, user);
  });
}

function hash({ passwords }: AdminDependencies, password: string, action?: AdminAction): Promise<string> {
  return passwords.hasher.hash(password, toRequestContext(action?.request));
}

function parseNewUser(
  { config, newUserId }: AdminDependencies,
  input: z.output<typeof invitedInput> & { readonly emailVerified?: boolean | undefined },
): NewUser {
  const { email, role = 'user', fields = {}, emailVerified = false } = input;
  assertRole(role);
  const given = parseFieldChange(fields, config.userFields);
  return toNewUser({
    id: newUserId(),
    email,
    emailVerified,
    role,
    fields: changeFields(toProfileFields({}, config), given, config),
  });
}
