import { CodedError } from '@x/errors';
import type { MailTokenRecord, MailTokenStore, UserRecord } from '@x/store';
import { hashSecret } from '../crypto/hash.ts';
import { randomToken } from '../crypto/random.ts';

/** A token to be mailed, and its hash, the only part that is stored. */
interface MailToken {
  readonly token: string;
  readonly tokenHash: string;
}

/** Creates a token of 256 random bits, in base64url. */
export function createMailToken(): MailToken {
  const token = randomToken();
  return { token, tokenHash: hashSecret(token) };
}

/**
 * Consumes a token. The step that the token allows has to happen in the same transaction, so that a failure restores
 * the token.
 *
 * @throws CodedError `TOKEN_EXPIRED` if it has merely expired; `TOKEN_INVALID` if it was used or replaced, or never
 * existed
 */
export async function consumeMailToken(tokens: MailTokenStore, token: string): Promise<MailTokenRecord> {
  const tokenHash = hashSecret(token);
  const consumed = await tokens.consume(tokenHash);
  if (consumed !== null) return consumed;
  throw (await tokens.find(tokenHash)) === null ? tokenInvalid() : tokenExpired();
}

/**
 * Makes sure that a token can be used, without consuming it, and returns its record. Call it before costly work.
 *
 * @throws CodedError as {@link consumeMailToken}
 */
export async function assertMailToken(tokens: MailTokenStore, token: string, now: Date): Promise<MailTokenRecord> {
  const found = await tokens.find(hashSecret(token));
  if (found === null) throw tokenInvalid();
  if (now >= found.expiresAt) throw tokenExpired();
  return found;
}

/** Says whether a token still applies to a user: the address is still theirs, and they may sign in. */
export function isTokenOf({ email }: MailTokenRecord, user: UserRecord | null): user is UserRecord {
  return user !== null && user.email === email && user.disabledAt === null;
}

/** Builds the error for a token that is not valid. */
export function tokenInvalid(): CodedError {
  return new CodedError('TOKEN_INVALID', 'The link is not valid. It may have been used, or replaced by a newer one.');
}

function tokenExpired(): CodedError {
  return new CodedError('TOKEN_EXPIRED', 'The link is too old.');
}
