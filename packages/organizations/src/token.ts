import { z } from 'zod';

/** A secret that an invited person presents, and its hash, which alone is stored. */
export interface InvitationToken {
  readonly token: string;
  readonly tokenHash: string;
}

/** Creates a token of 256 random bits, in base64url. */
export async function createToken(): Promise<InvitationToken> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const token = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return { token, tokenHash: await hashToken(token) };
}

/** Hashes a token with SHA-256, in hexadecimal. Tokens are random, so that a fast hash suffices. */
export async function hashToken(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The input of the holder of a token. */
export interface TokenInput {
  readonly token: string;
}

/** The schema of {@link TokenInput}. */
export const tokenInput: z.ZodType<TokenInput, TokenInput> = z.strictObject({ token: z.string().min(1).max(200) });
