import { CodedError } from '@x/errors';
import type { MailTokenRecord, MailTokenStore, UserRecord } from '@x/store';
import { createHash, randomBytes } from 'node:crypto';

/** A token for a mail, and the hash of it, which is all that is stored. */
export interface MailToken {
  readonly token: string;
  readonly tokenHash: string;
}

/** Makes a token of 256 random bits, in base64url. */
export function createMailToken(): MailToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashMailToken(token) };
}

/** Hashes a token to what it is stored and found by. */
function hashMailToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * Uses a token up. What it is good for has to join this in one transaction, which gives it back where that fails.
 *
 * @throws CodedError `TOKEN_EXPIRED` where it is merely past its time; `TOKEN_INVALID` where it was used or replaced before,
 * or never was one
 */
export async function consumeMailToken(tokens: MailTokenStore, token: string): Promise<MailTokenRecord> {
  const tokenHash = hashMailToken(token);
  const consumed = await tokens.consume(tokenHash);
  if (consumed !== null) return consumed;
  throw (await tokens.find(tokenHash)) === null ? tokenInvalid() : tokenExpired();
}

/**
 * Makes sure that a token can be used, and leaves it: for before anything that costs.
 *
 * @throws CodedError as {@link consumeMailToken}
 */
export async function assertMailToken(tokens: MailTokenStore, token: string, now: Date): Promise<void> {
  const found = await tokens.find(hashMailToken(token));
  if (found === null) throw tokenInvalid();
  if (now >= found.expiresAt) throw tokenExpired();
}

/** Says whether a token is for a user as they are: its address still theirs, and they may sign in. */
export function isTokenOf({ email }: MailTokenRecord, user: UserRecord | null): user is UserRecord {
  return user !== null && user.email === email && user.disabledAt === null;
}

/** Builds the error of a token that is good for nothing. */
export function tokenInvalid(): CodedError {
  return new CodedError('TOKEN_INVALID', 'The link is not valid. It may have been used, or replaced by a newer one.');
}

function tokenExpired(): CodedError {
  return new CodedError('TOKEN_EXPIRED', 'The link is too old.');
}
