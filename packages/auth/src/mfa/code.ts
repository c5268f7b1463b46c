import { encodeBase32LowerCaseNoPadding } from '@oslojs/encoding';
import { CodedError } from '@x/errors';
import type { MfaRecord, RateLimitResult, TransactionStores, UserId } from '@x/store';
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type EventSubject, publishEvents, recordEvent } from '../events/events.ts';
import { consumeAttempt, refundAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type MfaDependencies, requireMfa } from './mfa.ts';
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

/** A code that is right as far as can be told without consuming it. */
export interface CheckedCode {
  readonly factor: MfaRecord;
  readonly use: CodeUse;
  /** The attempt that was counted for it. */
  readonly counted: RateLimitResult;
}

/** What a code consumes: the time step of an authenticator app, or one backup code. */
type CodeUse = { readonly step: number } | { readonly backupCodeHash: string };

/**
 * Counts a code against the user's limit, and checks it. A right one is taken off the count again when it is used, so
 * that only wrong codes count, however many are tried at once.
 *
 * @returns null for a wrong code
 * @throws CodedError `RATE_LIMITED`
 */
export async function evaluateCode(
  deps: MfaDependencies,
  factor: MfaRecord,
  text: string,
  request: RequestContext,
): Promise<CheckedCode | null> {
  const counted = await consumeAttempt(deps.limits, { limit: 'proof', key: factor.userId }, request);
  const use = toUse(deps, factor, text);
  return use && { factor, use, counted };
}

/**
 * Consumes a code, in the transaction of what it allows. Returns false and changes nothing if the code is wrong or no
 * longer valid.
 */
export async function useCode(
  deps: MfaDependencies,
  stores: TransactionStores,
  { factor, use, counted }: CheckedCode,
): Promise<boolean> {
  const { userId, secret } = factor;
  const isUsed =
    'step' in use
      ? await stores.mfa.acceptStep(userId, { secret, step: use.step, lockedAt })
      : await stores.mfa.consumeBackupCode(userId, use.backupCodeHash);
  if (isUsed) await refundAttempt(deps.limits, stores, { limit: 'proof', key: userId }, counted);
  return isUsed;
}

/** How many wrong codes of the authenticator app in a row lock it. */
const lockedAt = 100;

/** Logs that a code was refused, and builds the error. */
export async function refuseCode(
  deps: MfaDependencies,
  { about }: { readonly about: EventSubject; readonly code: string },
  request: RequestContext,
): Promise<CodedError> {
  publishEvents(deps.events, [await recordEvent(deps.stores, { ...about, type: 'mfa.refused' }, request)]);
  return wrongCode();
}

/** Builds the error for a wrong code. */
export function wrongCode(): CodedError {
  return new CodedError('MFA_INVALID_CODE', 'The code is wrong.');
}

/**
 * Finds the time step of a code of the authenticator app, ignoring spaces and hyphens; null if it is wrong.
 *
 * @throws Error if none of the app's keys decrypts the stored secret
 */
export function findTimeStep(
  deps: MfaDependencies,
  factor: Pick<MfaRecord, 'userId' | 'secret'>,
  text: string,
): number | null {
  return findStep(openSecret(deps, factor), withoutSeparators(text), deps.stores.clock.now());
}

/** Sixteen letters and digits are a backup code; it works even if the stored secret can no longer be decrypted. */
function toUse(deps: MfaDependencies, factor: MfaRecord, text: string): CodeUse | null {
  const compact = withoutSeparators(text);
  if (/^[0-9A-Za-z]{16}$/.test(compact)) {
    return { backupCodeHash: hashBackupCode(factor.userId, compact.toLowerCase()) };
  }
  const step = findTimeStep(deps, factor, compact);
  return step === null ? null : { step };
}

function withoutSeparators(text: string): string {
  return text.replace(/[ -]/g, '');
}

function openSecret(deps: MfaDependencies, { userId, secret }: Pick<MfaRecord, 'userId' | 'secret'>): Uint8Array {
  const opened = requireMfa(deps).secrets.open(secret, userId);
  if (opened !== null) return Buffer.from(opened, 'base64url');
  throw new Error(`No key of oauthEncryptionKey opens the secret of the second factor of user ${userId}.`);
}

/** Backup codes in the form that the user writes down, and in the form that is stored. */
interface BackupCodes {
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}

const backupCodeCount = 10;

/** 80 bits, more than anybody can guess, so a plain hash is enough. */
const bytesPerBackupCode = 10;

/** Creates ten codes such as `abcd-efgh-ijkl-mnop`. */
export function createBackupCodes(userId: UserId): BackupCodes {
  const encoded = Array.from({ length: backupCodeCount }, () =>
    encodeBase32LowerCaseNoPadding(randomBytes(bytesPerBackupCode)),
  );
  return {
    codes: encoded.map((code) => code.replace(/(.{4})(?!$)/g, '$1-')),
    hashes: encoded.map((code) => hashBackupCode(userId, code)),
  };
}

/** Returns the stored form of a user's backup code (without hyphens): its SHA-256, base64url. */
export function hashBackupCode(userId: UserId, code: string): string {
  return hash('sha256', `${userId}.${code}`, 'base64url');
}
