import type { AuthContext } from '../auth-context.ts';

/** A provider that an app has, as its sign-in page shows it. */
export interface PublicProvider {
  readonly id: string;
  readonly name: string;
  /** The path that a sign-in begins at. */
  readonly url: string;
}

/** Lists the providers that the app has, in its order. */
export function listProviders({ config }: Pick<AuthContext, 'config'>): readonly PublicProvider[] {
  return config.providers.map(({ id, name }) => ({ id, name, url: `/api/auth/oauth/${id}` }));
}
