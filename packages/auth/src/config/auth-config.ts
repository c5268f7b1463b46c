import type { TrustProxy } from '@x/http/address';
import type { MfaConfig } from '../mfa/mfa.ts';
import type { OAuthConfig } from '../oauth/oauth.ts';
import type { TenantConfig } from '../tenant/tenants.ts';
import type { AuthSettings, SendToken, SigningAlgorithm, UserField } from './auth-settings.ts';

/** A feature that is turned off. */
interface Disabled {
  readonly enabled: false;
}

/** The settings of e-mail verification, if it is enabled. */
export interface EnabledVerification {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly onSend: SendToken;
  readonly onChangeRequested: NonNullable<NonNullable<AuthSettings['emailVerification']>['onChangeRequested']>;
  readonly genericSignUp: boolean;
  readonly onExistingSignUp: NonNullable<NonNullable<AuthSettings['emailVerification']>['onExistingSignUp']>;
}

/** The settings of password reset, if it is enabled. */
export interface EnabledReset {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly revokeSessionsOnReset: boolean;
  readonly onSend: SendToken;
}

/** The parsed settings: every default filled in, durations in milliseconds. */
export interface AuthConfig extends MfaConfig, OAuthConfig, TenantConfig {
  readonly production: boolean;
  readonly trustedOrigins: readonly string[];
  readonly trustProxy: TrustProxy;
  readonly session: {
    readonly strategy: 'jwt';
    /** In milliseconds, a multiple of 1000. */
    readonly ttl: number;
    /** In milliseconds, a multiple of 1000. */
    readonly refreshTtl: number;
    readonly refreshGrace: number;
    readonly algorithm: SigningAlgorithm;
    readonly cookie: { readonly secure: boolean; readonly sameSite: 'strict' | 'lax' | 'none' };
  };
  readonly emailPassword: {
    readonly rateLimit: { readonly window?: number | undefined; readonly maxAttempts?: number | undefined };
    readonly password: {
      readonly minLength: number;
      readonly requireUppercase: boolean;
      readonly requireNumbers: boolean;
      readonly blocklist?: readonly string[] | undefined;
    };
  };
  readonly emailVerification: EnabledVerification | Disabled;
  readonly passwordReset: EnabledReset | Disabled;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly verificationKeys: readonly string[];
  readonly secrets?: readonly string[] | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly developmentKeysPath: string;
  readonly userFields: Readonly<Record<string, Required<UserField>>>;
}
