import { CodedError } from '@x/errors';
import { aboutSession } from '../events/events.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import { loadActiveSession, requireJwtSession } from '../session/session.ts';
import { codeInput, createBackupCodes, findTimeStep, wrongCode } from './code.ts';
import { hasSecondFactor, type MfaDependencies, mfaNotEnabled, requireMfa } from './mfa.ts';
import { withFreshProof } from './proof.ts';
import { sealSecret } from './secret.ts';
import { createTotpSecret, encodeSecret, toKeyUri } from './totp.ts';

/** The secret for an authenticator app. Shown once. */
export interface MfaSetup {
  /** Base32, for typing it in. Secret. */
  readonly secret: string;
  /** The same as an `otpauth:` URI, for a QR code. Secret. */
  readonly uri: string;
}

/**
 * Starts the setup of the caller's second factor, replacing a pending one. It stays off until {@link verifySetup}.
 *
 * @throws CodedError `SESSION_EXPIRED`, `STEP_UP_REQUIRED`, `MFA_ALREADY_ENABLED`
 */
export async function setUpMfa(deps: MfaDependencies, request: RequestContext): Promise<MfaSetup> {
  const { issuer } = requireMfa(deps);
  const caller = await requireRefreshToken(deps.sessions, request);
  const { id: userId, email: account } = caller.user;
  const secret = createTotpSecret();
  const sealed = sealSecret(deps, userId, secret);
  await withFreshProof(deps, { caller, proof: {} }, request, async ({ stores }) => {
    const expiresAt = new Date(deps.stores.clock.now().getTime() + pendingMs);
    if (await stores.mfa.startSetup({ userId, secret: sealed, expiresAt })) return;
    throw new CodedError('MFA_ALREADY_ENABLED', 'MFA is already on.');
  });
  return { secret: encodeSecret(secret), uri: toKeyUri({ secret, issuer, account }) };
}

/** How long a setup waits for its first code, in milliseconds. */
const pendingMs = 10 * 60_000;

/** Codes that replace the authenticator app, each usable once. Shown once. Secret. */
export interface NewBackupCodes {
  readonly backupCodes: readonly string[];
}

/**
 * Turns the caller's second factor on with a first code of the authenticator app, which is consumed. It does not count
 * as a verified second factor of this session.
 *
 * @throws CodedError `SESSION_EXPIRED`, `STEP_UP_REQUIRED`; `MFA_INVALID_CODE`; `MFA_NOT_ENABLED` if no setup is
 * pending
 */
export async function verifySetup(
  deps: MfaDependencies,
  input: unknown,
  request: RequestContext,
): Promise<NewBackupCodes> {
  requireMfa(deps);
  const caller = await requireRefreshToken(deps.sessions, request);
  const { code } = parseInput(codeInput, input);
  return withFreshProof(deps, { caller, proof: {} }, request, async ({ stores, log }, locked) => {
    const { id: userId } = locked.user;
    // The user's row is locked, so no other transaction can change the setup, such as seal its secret anew.
    const pending = await stores.mfa.findPending(userId);
    if (pending === null) throw noSetup();
    const step = findTimeStep(deps, pending, code);
    if (step === null) throw wrongCode();
    const { codes, hashes } = createBackupCodes(userId);
    const factor = { secret: pending.secret, step, backupCodeHashes: hashes };
    if (!(await stores.mfa.enable(userId, factor))) throw noSetup();
    await log.append(stores, { ...aboutSession(locked), type: 'mfa.enabled', owner: locked.user });
    return { backupCodes: codes };
  });
}

/** Whether a user has a second factor. */
export interface MfaStatus {
  readonly enabled: boolean;
  /** 0 if it is off. */
  readonly backupCodesRemaining: number;
}

/** Returns whether the caller's second factor is on. */
export async function getMfaStatus(deps: MfaDependencies, { headers }: RequestContext): Promise<MfaStatus> {
  requireMfa(deps);
  const { sid } = await requireJwtSession(deps.sessions, headers);
  const { user } = await loadActiveSession(deps.sessions, sid);
  const factor = await deps.stores.mfa.find(user.id);
  return { enabled: factor !== null, backupCodesRemaining: factor?.backupCodesRemaining ?? 0 };
}

/**
 * Turns the caller's second factor off by a code of it, and deletes the backup codes. A password alone never suffices.
 *
 * @throws CodedError `SESSION_EXPIRED`, `RATE_LIMITED`, `MFA_INVALID_CODE`, `MFA_NOT_ENABLED`
 */
export async function disableMfa(deps: MfaDependencies, input: unknown, request: RequestContext): Promise<void> {
  requireMfa(deps);
  const caller = await requireRefreshToken(deps.sessions, request);
  const proof = parseInput(codeInput, input);
  if (!(await hasSecondFactor(deps, deps.stores, caller.user.id))) throw mfaNotEnabled();
  await withFreshProof(deps, { caller, proof }, request, async ({ stores, log }, locked) => {
    if (!(await stores.mfa.remove(locked.user.id))) throw mfaNotEnabled();
    await log.append(stores, { ...aboutSession(locked), type: 'mfa.disabled', owner: locked.user });
  });
}

/**
 * Gives the caller new backup codes for a code of the second factor, and voids the old ones.
 *
 * @throws CodedError `SESSION_EXPIRED`, `RATE_LIMITED`, `MFA_INVALID_CODE`, `MFA_NOT_ENABLED`
 */
export async function replaceBackupCodes(
  deps: MfaDependencies,
  input: unknown,
  request: RequestContext,
): Promise<NewBackupCodes> {
  requireMfa(deps);
  const caller = await requireRefreshToken(deps.sessions, request);
  const proof = parseInput(codeInput, input);
  if (!(await hasSecondFactor(deps, deps.stores, caller.user.id))) throw mfaNotEnabled();
  return withFreshProof(deps, { caller, proof }, request, async ({ stores, log }, locked) => {
    const { codes, hashes } = createBackupCodes(locked.user.id);
    if (!(await stores.mfa.replaceBackupCodes(locked.user.id, hashes))) throw mfaNotEnabled();
    await log.append(stores, { ...aboutSession(locked), type: 'mfa.backup_codes_replaced', owner: locked.user });
    return { backupCodes: codes };
  });
}

function noSetup(): CodedError {
  return new CodedError('MFA_NOT_ENABLED', 'No set-up is waiting for a code.');
}
