import { type AuthSettings, discordProvider, githubProvider, googleProvider, type ProviderSettings } from '@x/auth';
import type { Env } from './env.ts';
import type { ProviderName } from './variables/oauth.ts';

const providers = { google: googleProvider, github: githubProvider, discord: discordProvider } as const;

/** Converts the configured providers to the settings of auth; the environment takes precedence over stand-ins. */
export function toOAuthSettings(
  { providers: configured }: Pick<Env, 'providers'>,
  standIns: Readonly<Partial<Record<ProviderName, ProviderSettings>>>,
): Pick<AuthSettings, 'providers'> {
  const settings: Readonly<Partial<Record<ProviderName, ProviderSettings>>> = { ...standIns, ...configured };
  return {
    providers: (['google', 'github', 'discord'] as const).flatMap((name) => {
      const own = settings[name];
      return own ? [providers[name](own)] : [];
    }),
  };
}
