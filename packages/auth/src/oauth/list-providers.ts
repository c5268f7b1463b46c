import type { AuthContext } from '../auth-context.ts';

/** A configured provider, as a sign-in page shows it. */
export interface PublicProvider {
  readonly id: string;
  readonly name: string;
  /** The path that starts a sign-in. */
  readonly url: string;
}

/** Lists the app's providers, in the configured order. */
export function listProviders({ config }: Pick<AuthContext, 'config'>): readonly PublicProvider[] {
  return config.providers.map(({ id, name }) => ({ id, name, url: `/api/auth/oauth/${id}` }));
}
