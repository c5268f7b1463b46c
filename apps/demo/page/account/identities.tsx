import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { useLoad } from '../load/use-load.ts';

/** The identities at providers that sign somebody in, and those that could; nothing where there are no providers. */
export function Identities(): ReactElement | null {
  const { value: providers = [] } = useLoad('providers', client.auth.providers);
  const identities = useLoad('identities', client.auth.oauthAccounts.list);
  if (providers.length === 0) return null;
  return (
    <section aria-labelledby="identities" className="card">
      <h2 id="identities">Other ways to sign in</h2>
      <Show of={identities}>
        {(linked) => (
          <ul className="rows">
            {providers.map(({ id, name }) => {
              const identity = linked.find(({ provider }) => provider === id);
              return (
                <li key={id}>
                  <div>
                    <strong>{name}</strong>
                    <p className="hint">{identity ? (identity.email ?? 'Linked') : 'Not linked'}</p>
                  </div>
                  {identity ? (
                    <ActionButton
                      label={`Unlink ${name}`}
                      send={() => client.auth.oauthAccounts.unlink(id)}
                      onSent={() => tellChange('identities')}
                    >
                      Unlink
                    </ActionButton>
                  ) : (
                    <ActionButton
                      label={`Link ${name}`}
                      send={() => client.auth.oauthAccounts.link(id, { redirectTo: '/#/account' })}
                      onSent={({ url }) => location.assign(url)}
                    >
                      Link
                    </ActionButton>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Show>
    </section>
  );
}
