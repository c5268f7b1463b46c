import type { Awaitable } from '@x/errors';
import { z } from 'zod';
import type { Duration } from '../../duration.ts';

/** The endpoints of a provider, and its issuer identifier. */
export interface ProviderEndpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Null for a provider whose ID tokens contain everything needed. */
  readonly userInfoUrl: string | null;
  /**
   * The issuer named by the provider's ID tokens and by the `iss` parameter of its redirects. `{tenantid}` in it stands
   * for the tenant that an ID token names in `tid`.
   */
  readonly issuer: string;
  /** Null for a provider without ID tokens. */
  readonly jwksUrl: string | null;
}

/** How an app is registered at a provider, and where the provider is if it is not the public one. */
export interface ProviderSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The callback URL registered there. Default: `/api/auth/oauth/<id>/callback` on the origin of `baseUrl`. */
  readonly redirectUrl?: string;
  /** Replaces the default scopes. */
  readonly scopes?: readonly string[];
  /** How long one call to the provider may take. Default `10s`. */
  readonly timeout?: Duration;
  /** Every endpoint can be replaced, for self-hosted providers and for tests. */
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly userInfoUrl?: string;
  readonly issuer?: string;
  readonly jwksUrl?: string;
  /**
   * Returns values of the app's `userFields` for a new user, from the provider's profile of them. A value that the
   * schema of its field refuses is left out. Its errors end the sign-in with `user_setup_failed`. Default: none.
   */
  readonly mapProfile?: MapProfile;
}

/** Whether to trust a provider that is not trusted by itself. */
export interface TrustSettings {
  /**
   * Whether the e-mail addresses that it calls verified count as proven, so that they sign in the user who has the
   * address: whoever can get an address verified there can then enter that user's account. Default false.
   */
  readonly trustEmail?: boolean;
}

/** Maps a profile to fields, by their names. */
type MapProfile = (profile: ProviderProfile) => Awaitable<Readonly<Record<string, unknown>>>;

/** The names of a provider's settings, but for its secret. */
export const publicSettingNames: Readonly<Record<Exclude<keyof ProviderSettings, 'clientSecret'>, true>> = {
  clientId: true,
  redirectUrl: true,
  scopes: true,
  timeout: true,
  authorizationUrl: true,
  tokenUrl: true,
  userInfoUrl: true,
  issuer: true,
  jwksUrl: true,
  mapProfile: true,
};

/** The names of a provider's settings. */
export const providerSettingNames: Readonly<Record<keyof ProviderSettings, true>> = {
  ...publicSettingNames,
  clientSecret: true,
};

/** The secret of a client, or a function that creates one for each call. */
export type ClientSecret = string | CreateClientSecret;

/** Creates a client secret, for the provider of this issuer, at this moment. */
export type CreateClientSecret = (call: { readonly issuer: string; readonly now: Date }) => Awaitable<string>;

/** How a client authenticates at the token endpoint. See RFC 6749 section 2.3.1. */
export type ClientAuthentication = 'body' | 'header';

/** A person who signed in at a provider. */
export interface ProviderIdentity {
  /** The provider's permanent id for them. */
  readonly providerId: string;
  /** As the provider spells it; null or empty if it gives none. */
  readonly email: string | null;
  /** True only if the provider sent `true`; a text or a number is not proof. */
  readonly isEmailVerified: boolean;
  /** The name that they go by there. */
  readonly name?: string | null | undefined;
  /** The URL of their picture. */
  readonly picture?: string | null | undefined;
  /** All that the provider says of them, for `mapProfile`: as its ID token or its user info spells it. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** The person who signed up, with null for the parts that the provider leaves out. */
export interface ProviderProfile extends ProviderIdentity {
  readonly name: string | null;
  /** An http or https URL. */
  readonly picture: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A text that a sign-in does not depend on: anything else counts as absent. */
export const optionalText: z.ZodType<string | null | undefined> = z.string().nullish().catch(null);

/**
 * A provider's response to a code, and ways to request more. Any error thrown ends the sign-in with `provider_error`.
 */
export interface ProviderResponse {
  readonly endpoints: ProviderEndpoints;
  /** Returns the claims of the ID token after full OIDC verification; throws if there is none. */
  readonly idTokenClaims: () => Promise<Readonly<Record<string, unknown>>>;
  /** Requests JSON from the provider with the access token. */
  readonly getJson: (url: string) => Promise<unknown>;
  /**
   * Reads data that a sign-in can do without, such as an address: users whose identity is linked already need none.
   * Returns null if reading fails, for any reason. If a user cannot sign up because an address is missing, the log has
   * the error and the advice.
   *
   * @param advice - the setting to check, such as the permission that it takes
   */
  readonly optional: <T>(read: () => Promise<T>, advice: string) => Promise<T | null>;
}

/** A part that a provider left out, and the setting to check. */
export interface MissingPart {
  readonly advice: string;
  readonly cause: unknown;
}

/** A provider: everything in which it differs from others. */
export interface OAuthProvider {
  /** Names it in paths and in the database: lower-case letters, digits and hyphens. */
  readonly id: string;
  /** The name shown to users. */
  readonly name: string;
  readonly settings: Omit<ProviderSettings, 'clientSecret'> & { readonly clientSecret: ClientSecret };
  readonly scopes: readonly string[];
  /** `discovery`: endpoints that the settings don't give are discovered from the issuer. */
  readonly endpoints: ProviderEndpoints | 'discovery';
  /** Whether an e-mail address that it calls verified counts as proven. Otherwise addresses are contact data. */
  readonly isTrusted: boolean;
  readonly usesPkce: boolean;
  /** `form_post`: the provider lets the browser post its response. Default: it redirects with a query. */
  readonly responseMode?: 'form_post' | undefined;
  /** The algorithms that its ID tokens may be signed with; empty if it has no ID tokens. */
  readonly idTokenAlgorithms: readonly string[];
  readonly identify: (response: ProviderResponse) => Promise<ProviderIdentity>;
}

/** A provider with its settings parsed and defaults filled in. */
export interface ConfiguredProvider extends Omit<OAuthProvider, 'settings'> {
  readonly clientId: string;
  readonly clientSecret: ClientSecret;
  readonly redirectUrl?: string | undefined;
  readonly mapProfile?: MapProfile | undefined;
  /** For one call, in milliseconds. */
  readonly timeout: number;
  /** Endpoints that replace the provider's own. */
  readonly overrides: Partial<ProviderEndpoints>;
}
