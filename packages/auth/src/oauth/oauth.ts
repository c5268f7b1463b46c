import { CodedError } from '@x/errors';
import type { Clock, Stores } from '@x/store';
import type { EmailDependencies } from '../email/dependencies.ts';
import type { EventDependencies } from '../events/events.ts';
import { createSealer, deriveKey, type Sealer } from '../keys/sealer.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { CookieConfig } from '../session/cookies.ts';
import type { SessionDependencies } from '../session/dependencies.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { UserConfig } from '../user/user.ts';
import { createProviderClient, type ProviderClient } from './client.ts';
import type { ConfiguredProvider } from './providers/provider.ts';

/** The settings of providers. */
export interface OAuthConfig {
  /** Present unless every provider has a `redirectUrl`. */
  readonly baseUrl?: string | undefined;
  readonly providers: readonly ConfiguredProvider[];
  /** The current secret first; empty if no feature needs one. */
  readonly oauthEncryptionKey: readonly string[];
  readonly oauthSuccessRedirect: string;
  readonly oauthErrorRedirect: string;
  readonly mfaRedirect: string;
}

/** What sign-in by providers works with. */
export interface OAuthDependencies {
  readonly config: OAuthConfig & CookieConfig & UserConfig;
  readonly stores: Stores;
  /** Null if the app has no providers. */
  readonly parts: OAuthParts | null;
  readonly hooks: Pick<AuthHooks, 'onUserCreated'>;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
  readonly sessions: SessionDependencies;
  readonly emails: EmailDependencies;
  readonly mfa: MfaDependencies;
}

/** The part of an auth that only providers need. */
export interface OAuthParts {
  /** By the id of the provider. */
  readonly clients: ReadonlyMap<string, ProviderClient>;
  /** Encrypts the states that flows keep in the browser. */
  readonly states: Sealer;
}

/** Creates it; null if the app has no providers. */
export function createOAuthParts(
  { providers, oauthEncryptionKey, baseUrl }: OAuthConfig,
  clock: Clock,
): OAuthParts | null {
  if (providers.length === 0) return null;
  const redirectUriOf = ({ id, redirectUrl }: ConfiguredProvider): string =>
    redirectUrl ?? new URL(`/api/auth/oauth/${id}/callback`, baseUrl).href;
  const clients = providers.map(
    (provider) => [provider.id, createProviderClient(provider, redirectUriOf(provider), clock)] as const,
  );
  return {
    clients: new Map(clients),
    states: createSealer(oauthEncryptionKey.map((secret) => deriveKey(secret, 'oauth-state'))),
  };
}

/** A provider, and the sealer for the states of its flows. */
export interface ProviderParts {
  readonly client: ProviderClient;
  readonly states: Sealer;
}

/** @throws CodedError `NOT_FOUND` for any text but the id of a configured provider */
export function requireProvider({ parts }: Pick<OAuthDependencies, 'parts'>, id: string): ProviderParts {
  const client = parts?.clients.get(id);
  if (!parts || !client) throw new CodedError('NOT_FOUND', 'There is no such provider.');
  return { client, states: parts.states };
}

/** A configured provider, as a sign-in page shows it. */
export interface PublicProvider {
  readonly id: string;
  readonly name: string;
  /** The path that starts a sign-in. */
  readonly url: string;
}

/** Lists the app's providers, in the configured order. */
export function listProviders({ config }: Pick<OAuthDependencies, 'config'>): readonly PublicProvider[] {
  return config.providers.map(({ id, name }) => ({ id, name, url: `/api/auth/oauth/${id}` }));
}
