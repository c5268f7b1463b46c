import type { Logger } from '@x/errors';
import type { EventRecord, JsonObject, Stores } from '@x/store';
import type { SignUpInput } from './account/sign-up-input.ts';
import type { AuthConfig } from './config/auth-config.ts';
import type { BackgroundTasks } from './events/background.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Limits } from './limits/limits.ts';
import type { MfaParts } from './mfa/mfa.ts';
import type { OAuthParts } from './oauth/oauth.ts';
import type { PasswordHasher, PasswordVerifier } from './password/hasher.ts';
import type { PasswordPolicy } from './password/policy.ts';
import type { RefreshTokens } from './session/refresh-token.ts';
import type { RevokedSessions } from './session/revoked-jwts.ts';
import type { AccessSetPort } from './token/claims.ts';
import type { AccessTokenIssuer } from './token/issue.ts';
import type { AccessTokenVerifier } from './token/verify.ts';
import type { AuthHooks } from './user/hooks.ts';
import type { User } from './user/user.ts';

/** What every verb works with: the parsed configuration and the parts built from it. */
export interface AuthContext {
  readonly config: AuthConfig;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly keyRing: KeyRing;
  readonly limits: Limits;
  readonly hasher: PasswordHasher;
  readonly passwordVerifier: PasswordVerifier;
  readonly passwordPolicy: PasswordPolicy;
  readonly parseSignUp: (input: unknown) => Promise<SignUpInput>;
  readonly accessTokens: AccessTokenIssuer & AccessTokenVerifier;
  readonly refreshTokens: RefreshTokens;
  readonly revokedSessions: RevokedSessions;
  /** Null if the app has no second factors. */
  readonly mfa: MfaParts | null;
  /** Null if the app has no providers. */
  readonly oauth: OAuthParts | null;
  /** Work that continues after its response. */
  readonly background: BackgroundTasks;
  readonly claims: (user: User) => JsonObject | Promise<JsonObject>;
  /** Null if the app has no access sets. */
  readonly accessSet: AccessSetPort | null;
  readonly hooks: AuthHooks;
  readonly onEvent: (event: EventRecord) => void | Promise<void>;
}
