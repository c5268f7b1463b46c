import { z } from 'zod';
import { callProvider, type CallLimits } from './call-provider.ts';
import type { ClientAuthentication } from './providers/provider.ts';

/** An authorization code, and the proof that it is ours. */
export interface CodeExchange {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuthentication: ClientAuthentication;
  readonly code: string;
  readonly redirectUri: string;
  /** Null for a provider without PKCE. */
  readonly codeVerifier: string | null;
}

/** The tokens that a code was exchanged for. Secret. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly idToken: string | undefined;
}

/**
 * Exchanges a code for tokens.
 *
 * @throws Error if the provider refuses, even with status 200 as GitHub does
 * @see RFC 6749 sections 4.1.3 and 5.1, RFC 7636 section 4.5
 */
export async function exchangeCode(exchange: CodeExchange, limits: CallLimits): Promise<ProviderTokens> {
  const { tokenUrl, clientId, clientSecret, clientAuthentication, code, redirectUri, codeVerifier } = exchange;
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  if (codeVerifier !== null) body.set('code_verifier', codeVerifier);
  if (clientAuthentication === 'body') {
    body.set('client_id', clientId);
    body.set('client_secret', clientSecret);
  }
  const headers = clientAuthentication === 'header' ? { Authorization: toBasic(clientId, clientSecret) } : {};
  const parsed = answer.safeParse(await callProvider(tokenUrl, { method: 'POST', headers, body }, limits));
  if (!parsed.success) throw new Error('The provider answered the code without tokens.');
  return { accessToken: parsed.data.access_token, idToken: parsed.data.id_token };
}

/**
 * @see RFC 6749 section 2.3.1 for the encoding of both halves
 *
 * @see RFC 6749 section 2.3.1 for the encoding of both halves
 */
function toBasic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((half) => new URLSearchParams([['', half]]).toString().slice(1));
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

const answer = z.object({
  access_token: z.string().min(1),
  id_token: z.string().optional(),
  error: z.undefined().optional(),
});
