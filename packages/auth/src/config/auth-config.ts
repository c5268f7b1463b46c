import type { TrustProxy } from '@x/http/address';
import type { EmailConfig } from '../email/dependencies.ts';
import type { MfaConfig } from '../mfa/mfa.ts';
import type { OAuthConfig } from '../oauth/oauth.ts';
import type { ResetConfig } from '../password/dependencies.ts';
import type { SessionConfig } from '../session/dependencies.ts';
import type { TenantConfig } from '../tenant/tenants.ts';

/** The parsed settings: every default filled in, durations in milliseconds. */
export interface AuthConfig extends SessionConfig, EmailConfig, ResetConfig, MfaConfig, OAuthConfig, TenantConfig {
  readonly production: boolean;
  readonly trustedOrigins: readonly string[];
  readonly trustProxy: TrustProxy;
  readonly emailPassword: {
    readonly rateLimit: { readonly window?: number | undefined; readonly maxAttempts?: number | undefined };
    readonly password: {
      readonly minLength: number;
      readonly requireUppercase: boolean;
      readonly requireNumbers: boolean;
      readonly blocklist?: readonly string[] | undefined;
    };
  };
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly verificationKeys: readonly string[];
  readonly secrets?: readonly string[] | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly developmentKeysPath: string;
}
