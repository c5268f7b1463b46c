import type { Awaitable } from '@x/errors';
import type { JsonObject, Stores } from '@x/store';
import type { EventDependencies } from '../events/events.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningAlgorithm } from '../keys/parse-pem-key.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { AccessSetPort } from '../token/access-claim.ts';
import type { AccessTokenIssuer } from '../token/issue.ts';
import type { AccessTokenVerifier } from '../token/verify.ts';
import type { User, UserConfig } from '../user/user.ts';
import type { CookieConfig } from './cookies.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { RevokedSessions } from './revoked-sessions.ts';

/** The settings of sessions. */
export interface SessionConfig extends CookieConfig, UserConfig {
  readonly session: CookieConfig['session'] & {
    readonly strategy: 'jwt';
    /** In milliseconds, a multiple of 1000. */
    readonly ttl: number;
    /** In milliseconds, a multiple of 1000. */
    readonly refreshTtl: number;
    readonly refreshGrace: number;
    readonly algorithm: SigningAlgorithm;
  };
}

/** What sessions work with. */
export interface SessionDependencies {
  readonly config: SessionConfig;
  readonly stores: Stores;
  readonly accessTokens: AccessTokenIssuer & AccessTokenVerifier & Pick<KeyRing, 'jwks'>;
  readonly refreshTokens: RefreshTokens;
  readonly revokedSessions: RevokedSessions;
  /** Returns the app's claims for a user's JWTs. */
  readonly claims: (user: User) => Awaitable<JsonObject>;
  /** Null if the app has no access sets. */
  readonly accessSet: AccessSetPort | null;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
}
