import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { useLoad } from '../load/use-load.ts';

/** A way in for each provider that the server knows; nothing where it knows none. */
export function ProviderButtons(): ReactElement | null {
  const { value: providers = [] } = useLoad('providers', client.auth.providers);
  if (providers.length === 0) return null;
  return (
    <section aria-label="Other ways to sign in" className="providers">
      <p className="divider">or</p>
      {providers.map(({ id, name, url }) => (
        <a key={id} href={url} className="button">
          Continue with {name}
        </a>
      ))}
    </section>
  );
}
