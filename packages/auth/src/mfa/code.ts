import { CodedError } from '@x/errors';
import type { MfaRecord, StoredMfaSecret, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import { hashSecret } from '../crypto/hash.ts';
import { randomCode } from '../crypto/random.ts';
import { type EventSubject, loggedTransaction } from '../events/events.ts';
import { consumeAttempt, refundUnlessWrong } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { MfaDependencies } from './mfa.ts';
import { openSecret, resealSecret } from './secret.ts';
import { findStep } from './totp.ts';

/** A code as sent: six digits of an authenticator app, or a backup code. */
export const codeSchema: z.ZodType<string> = z
  .string()
  .max(64)
  .meta({ examples: ['123456'] });

/** The input of a route that takes only a code. */
export interface CodeInput {
  readonly code: string;
}

/** Parses a {@link CodeInput}. */
export const codeInput: z.ZodType<CodeInput> = z.strictObject({ code: codeSchema });

/** A code, and the second factor that it should be of. */
export interface PresentedCode {
  readonly factor: MfaRecord;
  readonly code: string;
}

/**
 * Consumes a code, in the transaction of the step that it allows. Returns false and changes nothing if the code is
 * wrong or no longer valid.
 */
export type UseCode = (stores: TransactionStores) => Promise<boolean>;

/**
 * Takes the step that a code allows. Codes are counted against the user's limit, and right ones are refunded, so that
 * only wrong ones count, however many are tried at once.
 *
 * @param step - gets the code if it is right as far as can be checked without consuming it; null if it proves wrong
 * @returns null for a wrong code
 * @throws CodedError `RATE_LIMITED`; the errors of the step
 */
export async function withCode<T>(
  deps: MfaDependencies,
  { factor, code }: PresentedCode,
  request: RequestContext,
  step: (useCode: UseCode) => Promise<T | null>,
): Promise<T | null> {
  const counted = await consumeAttempt(deps.limits, { limit: 'proof', user: factor.userId }, request);
  return refundUnlessWrong(deps.limits, counted, async () => {
    const use = toUse(deps, factor, code);
    return use && step(use);
  });
}

/** Consumes a time step, and seals the secret with the current key if an older one sealed it. */
async function useStep(
  deps: MfaDependencies,
  { mfa }: TransactionStores,
  verified: StoredMfaSecret,
  step: number,
): Promise<boolean> {
  const { userId } = verified;
  const accept = ({ secret }: StoredMfaSecret): Promise<boolean> => mfa.acceptStep(userId, { secret, step, lockedAt });
  if (await accept(verified)) {
    await resealSecret(deps, mfa, verified);
    return true;
  }
  // Another transaction may have sealed the same secret anew since the code was verified. By now, the user is locked.
  const stored = await mfa.find(userId);
  return stored !== null && isResealed(deps, verified, stored) && accept(stored);
}

function isResealed(deps: MfaDependencies, before: StoredMfaSecret, after: StoredMfaSecret): boolean {
  if (before.secret === after.secret) return false;
  const [one, other] = [openSecret(deps, before), openSecret(deps, after)];
  return one !== null && other !== null && one.equals(other);
}

/**
 * How many wrong codes of the authenticator app in a row lock it, however slowly they come. From then on only a backup
 * code is right, which opens it.
 *
 * @see NIST SP 800-63B section 5.2.2
 */
const lockedAt = 100;

/** A refused code, and whose it was. */
interface RefusedCode {
  readonly about: EventSubject & { readonly userId: UserId };
  readonly code: string;
}

/** Counts a refused code if it was meant for the authenticator app, logs it, and builds the error. */
export async function refuseCode(
  deps: MfaDependencies,
  { about, code }: RefusedCode,
  request: RequestContext,
): Promise<CodedError> {
  const isCounted = isAppCode(withoutSeparators(code));
  const wrongCodes = await loggedTransaction(deps, request, async (stores, log) => {
    const count = isCounted
      ? await stores.mfa.countWrongCode(about.userId)
      : ((await stores.mfa.find(about.userId))?.wrongCodes ?? 0);
    await log.append(stores, { ...about, type: 'mfa.refused' });
    if (isCounted && count === lockedAt) {
      const owner = await stores.users.findById(about.userId);
      await log.append(stores, { ...about, type: 'mfa.locked', owner });
    }
    return count;
  });
  return wrongCodes < lockedAt ? wrongCode() : locked();
}

/** Builds the error for a wrong code. */
export function wrongCode(): CodedError {
  return new CodedError('MFA_INVALID_CODE', 'The code is wrong.');
}

/** Builds the error for any code while the authenticator app is locked. */
function locked(): CodedError {
  const message = 'Too many codes in a row were wrong. Use a backup code.';
  return new CodedError('MFA_INVALID_CODE', message, { meta: { locked: true } });
}

/**
 * Finds the time step of a code of the authenticator app, ignoring spaces and hyphens; null if it is wrong. If no key
 * opens the stored secret, every code is.
 */
export function findTimeStep(deps: MfaDependencies, stored: StoredMfaSecret, text: string): number | null {
  const secret = openSecret(deps, stored);
  return secret && findStep(secret, withoutSeparators(text), deps.stores.clock.now());
}

/** Says whether a text without separators has the form of a code of an authenticator app. */
function isAppCode(compact: string): boolean {
  return /^[0-9]{6}$/.test(compact);
}

/** Sixteen letters and digits are a backup code; it works even if the authenticator app is locked or lost. */
function toUse(deps: MfaDependencies, factor: MfaRecord, text: string): UseCode | null {
  const compact = withoutSeparators(text);
  if (/^[0-9A-Za-z]{16}$/.test(compact)) {
    const hash = hashBackupCode(factor.userId, compact.toLowerCase());
    return ({ mfa }) => mfa.consumeBackupCode(factor.userId, hash);
  }
  const step = factor.wrongCodes < lockedAt ? findTimeStep(deps, factor, compact) : null;
  return step === null ? null : (stores) => useStep(deps, stores, factor, step);
}

function withoutSeparators(text: string): string {
  return text.replace(/[ -]/g, '');
}

/** Backup codes in the form that the user writes down, and in the form that is stored. */
interface BackupCodes {
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}

const backupCodeCount = 10;

/** 16 of these are 80 bits, more than an attacker can guess, so a plain hash is enough. @see RFC 4648 section 6 */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Creates ten codes such as `abcd-efgh-ijkl-mnop`. */
export function createBackupCodes(userId: UserId): BackupCodes {
  const compact = Array.from({ length: backupCodeCount }, () => randomCode(base32, 16));
  return {
    codes: compact.map((code) => code.replace(/(.{4})(?!$)/g, '$1-')),
    hashes: compact.map((code) => hashBackupCode(userId, code)),
  };
}

/** Returns the stored form of a user's backup code (without hyphens): its SHA-256, base64url. */
export function hashBackupCode(userId: UserId, code: string): string {
  return hashSecret(`${userId}.${code}`);
}
