import type { z } from 'zod';
import type { OAuthProvider } from '../oauth/providers/provider.ts';
import type { Tenancy } from '../tenant/tenancy.ts';
import type { User } from '../user/user.ts';
import type { Duration } from './duration.ts';

/** The algorithms that session JWTs can be signed with (RFC 7518 section 3.1). */
export type SigningAlgorithm = 'RS256' | 'ES256';

/** A number of proxies, 0 to 32, or their addresses and CIDR ranges. */
export type TrustProxy = number | readonly string[];

/** One declared field of a user beside ours. */
export interface UserField {
  /** What sign-up accepts for the field; make it optional for a field that may be absent. The output is JSON. */
  readonly schema: z.ZodType;
  /** Whether the field is part of the public `User` and so of the JWT. Default true. */
  readonly public?: boolean;
}

/**
 * Sends a token by mail to `user.email`, in a link to a page of the app. It is called after the answer, with 30 s of time; what
 * it throws is logged. The token is secret.
 */
export type SendToken = (user: User, token: string) => void | Promise<void>;

/** The settings of `createAuth` that are data, and what sends its mails. Secrets are never printed in a problem. */
export interface AuthSettings {
  /** Whether unsafe settings are refused and keys are required. Default true. */
  readonly production?: boolean;
  /** Where the app is reached, such as `https://app.example.com`. Required in production. */
  readonly baseUrl?: string;
  /** Further origins whose pages may call the API. */
  readonly trustedOrigins?: readonly string[];
  /**
   * Which proxies stand before the server, so that `X-Forwarded-For` counts: how many, or the addresses and CIDR ranges
   * that they have. Default: none, and the header is ignored.
   */
  readonly trustProxy?: TrustProxy;
  readonly session: {
    readonly strategy: 'jwt';
    /** How long a JWT is good. Whole seconds, default `60s`. */
    readonly ttl?: Duration;
    /** How long a session lasts, counted from sign-in. Whole seconds, default `7d`. */
    readonly refreshTtl?: Duration;
    /** How long the refresh token before the current one still gets its answer again. Default `10s`. */
    readonly refreshGrace?: Duration;
    /** Default `RS256`. */
    readonly algorithm?: SigningAlgorithm;
    readonly cookie?: {
      /** Default true; false is refused in production. */
      readonly secure?: boolean;
      /** Default `lax`. Applies to the session cookies. */
      readonly sameSite?: 'strict' | 'lax' | 'none';
    };
  };
  readonly emailPassword?: {
    /** How many sign-ins, and sign-ups, one e-mail address may try in a window. Default 5 in `15m`, and 3 in `1h`. */
    readonly rateLimit?: {
      readonly window?: Duration;
      /** 1 to 1 000 000. */
      readonly maxAttempts?: number;
    };
    readonly password?: {
      /** Code points, 1 to 256, default 8. Fewer than 8 are warned about. */
      readonly minLength?: number;
      /** Default false. */
      readonly requireUppercase?: boolean;
      /** Default false. */
      readonly requireNumbers?: boolean;
      /** Passwords that are refused beside the 3 000 most common ones, whatever their case. */
      readonly blocklist?: readonly string[];
    };
  };
  /** Proving addresses by mail: `/verify-email`, `/resend-verification`, `/change-email`. Without it they do not exist. */
  readonly emailVerification?: {
    readonly enabled: boolean;
    /** Default `24h`. */
    readonly tokenTtl?: Duration;
    /** Required where it is enabled. `user.email` may be an address that is to become theirs. */
    readonly onSend?: SendToken;
    /** Tells the old address, `user.email`, that another one was asked for. Called like `onSend`. Default: nobody is told. */
    readonly onChangeRequested?: (user: User, newEmail: string) => void | Promise<void>;
    /**
     * Whether sign-up keeps to itself if an address has an account: it answers `{ ok: true }` to everybody and signs nobody
     * in. The account is created after the answer, so that what `onUserCreated` throws is only logged, and its password works
     * once the address is verified. Default false: a second sign-up is refused with `USER_EXISTS`.
     */
    readonly genericSignUp?: boolean;
    /** Tells the owner of an account that somebody signed up with its address. Called like `onSend`. Default: nobody is told. */
    readonly onExistingSignUp?: (user: User) => void | Promise<void>;
  };
  /** Setting a new password by mail: `/forgot-password`, `/reset-password`. Without it they do not exist. */
  readonly passwordReset?: {
    readonly enabled: boolean;
    /** Default `1h`. */
    readonly tokenTtl?: Duration;
    /** Whether a reset ends the user's sessions. Default true; those of an address that nobody had proven always end. */
    readonly revokeSessionsOnReset?: boolean;
    /** Required where it is enabled. */
    readonly onSend?: SendToken;
  };
  /** A second factor for who sets it up: `/mfa/*`. Without it the routes do not exist, and nobody is asked for theirs. */
  readonly mfa?: {
    readonly enabled: boolean;
    /** What authenticator apps show beside the codes; holds no colon. Default: the host of `baseUrl`. */
    readonly issuer?: string;
  };
  /** The tenants that users work in: `/tenants`, `/switch-tenant`. Without it they do not exist. */
  readonly tenant?: Tenancy;
  /**
   * What second factors, and flows of sign-in by a provider, are encrypted with: any secret text, or a list, the current one
   * first. One that is taken off the list takes what it encrypted with it. Required where `mfa` is enabled or there is a
   * provider.
   */
  readonly oauthEncryptionKey?: string | readonly string[];
  /** Who else may vouch for a user, such as `googleProvider({ … })`. Without any, the routes of OAuth do not exist. */
  readonly providers?: readonly OAuthProvider[];
  /** Where a sign-in by a provider ends: a path of the app, or an http or https URL. Default `/`. */
  readonly oauthSuccessRedirect?: string;
  /** Where it ends when it came to nothing; `error` is added to its query. Default `/auth/error`. */
  readonly oauthErrorRedirect?: string;
  /** Where it goes on for a user with a second factor. Default `/mfa`. */
  readonly mfaRedirect?: string;
  /** PEM of the signing key; its type matches the algorithm. Required in production. */
  readonly privateKey?: string;
  /** PEM of the public half of `privateKey`. Required in production. */
  readonly publicKey?: string;
  /** PEMs of public keys whose JWTs are still accepted: the ones before a rotation. */
  readonly verificationKeys?: readonly string[];
  /** What refresh tokens are derived from, the current secret first. Default: the signing key. */
  readonly secrets?: readonly string[];
  /** The `iss` claim. Default: the origin of `baseUrl`. */
  readonly issuer?: string;
  /** The `aud` claim. Default: the origin of `baseUrl`. */
  readonly audience?: string;
  /** The folder that keeps generated keys outside production. Default `.auth`. */
  readonly developmentKeysPath?: string;
  /** The app's own fields of a user, which sign-up accepts. */
  readonly userFields?: Readonly<Record<string, UserField>>;
}
