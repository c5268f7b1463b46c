import type { Awaitable } from '@x/errors';
import type { TrustProxy } from '@x/http/address';
import type { SendToken } from '../email/mail.ts';
import type { SigningAlgorithm } from '../keys/parse-pem-key.ts';
import type { OAuthProvider } from '../oauth/providers/provider.ts';
import type { SendReset } from '../password/password.ts';
import type { CheckPassword } from '../password/policy.ts';
import type { Duration } from '../duration.ts';
import type { LimitSettings } from './limit-settings.ts';
import type { Tenancy } from '../tenant/tenant.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { User } from '../user/user.ts';

/**
 * The settings of `createAuth`, and the callbacks that send its mails. Errors about settings never contain a secret.
 */
export interface AuthSettings<Fields extends UserFields = NoFields> {
  /** Requires keys and refuses unsafe settings. Default true. */
  readonly production?: boolean;
  /**
   * The public origin of the app, such as `https://app.example.com`: its pages and API are at the root of a host.
   * Required in production, where it has to be https, unless on localhost.
   */
  readonly baseUrl?: string;
  /** The path of the auth routes, which their cookies are bound to. Default `/api/auth`. */
  readonly basePath?: string;
  /** Further origins whose pages may call the API. */
  readonly trustedOrigins?: readonly string[];
  /**
   * The proxies whose `X-Forwarded-For` is trusted: how many there are, or their addresses and CIDR ranges. Default:
   * none, and the header is ignored.
   */
  readonly trustProxy?: TrustProxy;
  readonly session: {
    readonly strategy: 'jwt';
    /** How long a JWT is valid. Whole seconds, default `60s`. */
    readonly ttl?: Duration;
    /** How long a session lasts, counted from sign-in. Whole seconds, default `7d`. */
    readonly refreshTtl?: Duration;
    /**
     * How long the previous refresh token still gets the same response. Default `10s`. `until-used`: until its
     * successor is presented, so that a device that slept through a lost response stays signed in. A thief of the
     * previous token may use it until then, too, and one who presents each token before its successor is used, at the
     * pace of the owner, is never found out: where that matters, keep the default, and a short `refreshTtl`.
     */
    readonly refreshGrace?: Duration | 'until-used';
    /** Default `RS256`. */
    readonly algorithm?: SigningAlgorithm;
    readonly cookie?: {
      /** Default true; false is refused in production. */
      readonly secure?: boolean;
      /** Default `lax`. Applies to the session cookies. */
      readonly sameSite?: 'strict' | 'lax' | 'none';
      /**
       * The `Path` of the refresh token: the `basePath`, which is the default, or one above it. `/` if pages are
       * rendered for their user with `auth.api.getOrRefreshSession`; wider, too, if routes of your own call steps that
       * need it, such as `changePassword`.
       */
      readonly refreshPath?: string;
      /**
       * The prefix of the names of all cookies: `app`, the default, makes `app.sid`. Browsers share the cookies of a
       * host among all its ports, so apps on one host need one each. After `__Host-`, as in `__Host-app`, browsers
       * accept none that another host of the domain has set, and all have the path `/`. A change of the prefix signs
       * all users out.
       */
      readonly prefix?: string;
    };
  };
  readonly emailPassword?: {
    /** Attempts per e-mail address. Default: 5 sign-ins per `15m`, 3 sign-ups per `1h`; setting it changes both. */
    readonly rateLimit?: {
      readonly window?: Duration;
      /** 1 to 1 000 000. */
      readonly maxAttempts?: number;
    };
    readonly password?: {
      /** Code points, 1 to 256, default 8. Less than 8 logs a warning. */
      readonly minLength?: number;
      /** Default false. */
      readonly requireUppercase?: boolean;
      /** Default false. */
      readonly requireNumbers?: boolean;
      /** Passwords to refuse in addition to the 3,000 most common ones, in any letter case. */
      readonly blocklist?: readonly string[];
      /** A check of the app's own, such as for passwords that are known to be breached. Default: none. */
      readonly check?: CheckPassword;
    };
  };
  /** How often the auth routes may be tried. The defaults are for apps whose users rarely share an address. */
  readonly limits?: LimitSettings;
  /**
   * E-mail verification: `/verify-email`, `/resend-verification`, `/change-email`. Default: without these routes, and
   * every address that signs in counts as verified, until this is enabled.
   */
  readonly emailVerification?: {
    /** Default true, where these settings are given. */
    readonly enabled?: boolean;
    /** Default `24h`. */
    readonly tokenTtl?: Duration;
    /** Required if enabled. If a change of address was requested, `user.email` is the new address. */
    readonly onSend?: SendToken<Fields>;
    /**
     * Keeps sign-up from revealing whether an address has an account: it responds with `{ ok: true }` to every caller,
     * and starts no session. The account is created after the response, so errors of `onUserCreated` are only logged,
     * and its password works once the address is verified. Default false: a second sign-up is refused with
     * `USER_EXISTS`.
     */
    readonly genericSignUp?: boolean;
    /**
     * Notifies the owner of an account of another sign-up with its address. Called like `onSend`. Default: no notice is
     * sent.
     */
    readonly onExistingSignUp?: (user: User<Fields>) => Awaitable<void>;
  };
  /** Password reset by mail: `/forgot-password`, `/reset-password`. Default: these routes do not exist. */
  readonly passwordReset?: {
    /** Default true, where these settings are given. */
    readonly enabled?: boolean;
    /** Default `1h`. */
    readonly tokenTtl?: Duration;
    /** Whether a reset ends the user's sessions. Default true. If the address was never verified, they always end. */
    readonly revokeSessionsOnReset?: boolean;
    /** Required if enabled. */
    readonly onSend?: SendReset<Fields>;
  };
  /** Second factors: `/mfa/*`. Default: these routes do not exist, and no user is asked for a code. */
  readonly mfa?: {
    /** Default true, where these settings are given. */
    readonly enabled?: boolean;
    /** The name that authenticator apps show next to the codes, without a colon. Default: the host of `baseUrl`. */
    readonly issuer?: string;
  };
  /** Tenants that sessions can be in: `/tenants`, `/switch-tenant`. Default: these routes do not exist. */
  readonly tenant?: Tenancy<Fields>;
  /**
   * Encrypts second factors and the state of provider sign-ins: any secret text, or a list with the current one first.
   * Values that were encrypted with a secret become unreadable when it is removed from the list. Required with `mfa`
   * and with `providers`.
   */
  readonly oauthEncryptionKey?: string | readonly string[];
  /** OAuth and OIDC providers, such as `googleProvider({ … })`. Default: the OAuth routes do not exist. */
  readonly providers?: readonly OAuthProvider[];
  /** Where a provider sign-in redirects on success: a path of the app, or an http or https URL. Default `/`. */
  readonly oauthSuccessRedirect?: string;
  /** Where it redirects on failure, with `?error=`. Default `/auth/error`. */
  readonly oauthErrorRedirect?: string;
  /** Where it redirects a user with a second factor. Default `/mfa`. */
  readonly mfaRedirect?: string;
  /** PEM of the signing key, of the type that the algorithm needs. Required in production. */
  readonly privateKey?: string;
  /** PEM of the public half of `privateKey`. Required in production. */
  readonly publicKey?: string;
  /** PEMs of further public keys whose JWTs are accepted, such as the previous one during a rotation. */
  readonly verificationKeys?: readonly string[];
  /**
   * Secrets that refresh tokens are derived from, the current one first. Default: the signing key, which always counts
   * beside them. The private key of a former signing key, in PEM, names the secret that was derived from it.
   */
  readonly secrets?: readonly string[];
  /** The `iss` claim. Default: the `baseUrl`. */
  readonly issuer?: string;
  /** The `aud` claim. Default: the `baseUrl`. */
  readonly audience?: string;
  /** The folder for generated keys outside production. Default `.auth`. */
  readonly developmentKeysPath?: string;
  /** The app's own fields of a user, which sign-up accepts by name. */
  readonly userFields?: Fields;
}
