import type { Duration } from '../../config/duration.ts';

/** Where a provider is asked, and what it calls itself. */
export interface ProviderEndpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Null for a provider whose ID tokens say enough. */
  readonly userInfoUrl: string | null;
  /** What the provider's ID tokens and the `iss` parameter of its answers name. */
  readonly issuer: string;
  /** Null for a provider that signs no ID tokens. */
  readonly jwksUrl: string | null;
}

/** What an app says of itself to a provider, and of the provider where it is not the public one. */
export interface ProviderSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The callback URL as registered there. Default: `/api/auth/oauth/<id>/callback` on the origin of `baseUrl`. */
  readonly redirectUrl?: string;
  /** Replaces the scopes that are asked for by default. */
  readonly scopes?: readonly string[];
  /** How long one call to the provider may take. Default `10s`. */
  readonly timeout?: Duration;
  /** Each address of the provider may be replaced: for self-hosted ones, and in tests. */
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly userInfoUrl?: string;
  readonly issuer?: string;
  readonly jwksUrl?: string;
}

/** How a client proves itself at the token endpoint. See RFC 6749 section 2.3.1. */
export type ClientAuthentication = 'body' | 'header';

/** Who signed in at a provider. */
export interface ProviderIdentity {
  /** What the provider calls them, for good. */
  readonly providerId: string;
  /** As the provider spells it; null or empty where it names none. */
  readonly email: string | null;
  /** True only where the provider said `true`: neither text nor a number is proof. */
  readonly isEmailVerified: boolean;
}

/** What a provider answered to a code, and ways to learn more. Whatever throws ends the sign-in with `provider_error`. */
export interface ProviderAnswer {
  readonly endpoints: ProviderEndpoints;
  /** Returns the claims of the ID token, all that OIDC asks for verified; throws where there is none. */
  readonly idTokenClaims: () => Promise<Readonly<Record<string, unknown>>>;
  /** Asks the provider for JSON with the access token. */
  readonly getJson: (url: string) => Promise<unknown>;
}

/** One provider: all in which it differs from others. */
export interface OAuthProvider {
  /** Names it in paths and in the database: lower-case letters, digits and hyphens. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly scopes: readonly string[];
  /** `discovery`: what the settings don't say is asked for at the issuer. */
  readonly endpoints: ProviderEndpoints | 'discovery';
  /** Whether an e-mail address that it calls verified is taken as proven. Otherwise addresses are contact data. */
  readonly isTrusted: boolean;
  readonly usesPkce: boolean;
  /** The algorithms that its ID tokens may be signed with; none: it has no ID tokens. */
  readonly idTokenAlgorithms: readonly string[];
  readonly identify: (answer: ProviderAnswer) => Promise<ProviderIdentity>;
}
