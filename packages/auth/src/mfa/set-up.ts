import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/get-session.ts';
import { requireMfa } from './require-mfa.ts';
import { createTotpSecret, encodeSecret, toKeyUri } from './totp.ts';

/** The secret for an authenticator app. Shown once. */
export interface MfaSetup {
  /** Base32, for typing it in. Secret. */
  readonly secret: string;
  /** The same as an `otpauth:` URI, for a QR code. Secret. */
  readonly uri: string;
}

/** How long a setup waits for its first code, in milliseconds. */
const pendingMs = 10 * 60_000;

/**
 * Starts the setup of the caller's second factor, replacing a pending one. It stays off until {@link verifySetup}.
 *
 * @throws CodedError `UNAUTHENTICATED`; `MFA_ALREADY_ENABLED`
 */
export async function setUpMfa(auth: AuthContext, { headers }: RequestContext): Promise<MfaSetup> {
  const { issuer, secrets } = requireMfa(auth);
  const { sid, sub: userId } = await requireClaims(auth, headers);
  const secret = createTotpSecret();
  const sealed = secrets.seal(Buffer.from(secret).toString('base64url'), userId);
  const account = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.lockActive(sid);
    if (held === null) throw unauthenticated();
    const expiresAt = new Date(auth.stores.clock.now().getTime() + pendingMs);
    if (await stores.mfa.startSetup({ userId, secret: sealed, expiresAt })) return held.user.email;
    throw new CodedError('MFA_ALREADY_ENABLED', 'MFA is already on.');
  });
  return { secret: encodeSecret(secret), uri: toKeyUri({ secret, issuer, account }) };
}
