import type { OAuthProvider, ProviderEndpoints } from '../oauth/providers/provider.ts';
import type { Tenancy } from '../tenant/tenancy.ts';
import type { AuthSettings, SendToken, SigningAlgorithm, TrustProxy, UserField } from './auth-settings.ts';

/** A feature that an app may do without. */
interface Disabled {
  readonly enabled: false;
}

/** E-mail verification where the app has it. */
export interface EnabledVerification {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly onSend: SendToken;
  readonly onChangeRequested: NonNullable<NonNullable<AuthSettings['emailVerification']>['onChangeRequested']>;
  readonly genericSignUp: boolean;
  readonly onExistingSignUp: NonNullable<NonNullable<AuthSettings['emailVerification']>['onExistingSignUp']>;
}

/** Password reset where the app has it. */
export interface EnabledReset {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly revokeSessionsOnReset: boolean;
  readonly onSend: SendToken;
}

/** The second factor where the app has it. */
interface EnabledMfa {
  readonly enabled: true;
  readonly issuer?: string | undefined;
}

/** A provider as configured: its settings parsed, its defaults filled in. */
export interface ConfiguredProvider extends Omit<OAuthProvider, 'settings'> {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUrl?: string | undefined;
  /** Of one call, in milliseconds. */
  readonly timeout: number;
  /** What takes the place of the provider's own endpoints. */
  readonly overrides: Partial<ProviderEndpoints>;
}

/** The settings as everything else works with them: every default filled in, durations in milliseconds. */
export interface AuthConfig {
  readonly production: boolean;
  readonly baseUrl?: string | undefined;
  readonly trustedOrigins: readonly string[];
  readonly trustProxy: TrustProxy;
  readonly session: {
    readonly strategy: 'jwt';
    /** Whole seconds, in milliseconds. */
    readonly ttl: number;
    /** Whole seconds, in milliseconds. */
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
  readonly mfa: EnabledMfa | Disabled;
  readonly tenant?: Tenancy | undefined;
  /** The current secret first; none where nothing needs one. */
  readonly oauthEncryptionKey: readonly string[];
  readonly providers: readonly ConfiguredProvider[];
  readonly oauthSuccessRedirect: string;
  readonly oauthErrorRedirect: string;
  readonly mfaRedirect: string;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly verificationKeys: readonly string[];
  readonly secrets?: readonly string[] | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly developmentKeysPath: string;
  readonly userFields: Readonly<Record<string, Required<UserField>>>;
}
