import type { ReactElement } from 'react';
import { notifyChange } from '../client/changes.ts';
import { client } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';

interface Provider {
  readonly id: string;
  readonly name: string;
}

/** The providers that the user can sign in with, linked or not; nothing if none is configured. */
export function Identities(): ReactElement | null {
  const { value: providers = [] } = useLoad('providers', client.auth.providers);
  if (providers.length === 0) return null;
  return (
    <section aria-labelledby="identities" className="card">
      <h2 id="identities">Other ways to sign in</h2>
      <IdentityList providers={providers} />
    </section>
  );
}

function IdentityList(props: { readonly providers: readonly Provider[] }): ReactElement {
  const identities = useLoad('identities', client.auth.oauthAccounts.list);
  return (
    <Show of={identities}>
      {(linked) => (
        <ul className="rows">
          {props.providers.map(({ id, name }) => {
            const identity = linked.find(({ provider }) => provider === id);
            return (
              <li key={id}>
                <div>
                  <strong>{name}</strong>
                  <p className="hint">{identity ? (identity.email ?? 'Linked') : 'Not linked'}</p>
                </div>
                {identity ? <Unlink id={id} name={name} /> : <Link id={id} name={name} />}
              </li>
            );
          })}
        </ul>
      )}
    </Show>
  );
}

function Link({ id, name }: Provider): ReactElement {
  return (
    <ActionButton
      label={`Link ${name}`}
      send={() => client.auth.oauthAccounts.link(id, { redirectTo: '/#/account' })}
      onSent={({ url }) => location.assign(url)}
    >
      Link
    </ActionButton>
  );
}

function Unlink({ id, name }: Provider): ReactElement {
  return (
    <ActionButton
      label={`Unlink ${name}`}
      send={() => client.auth.oauthAccounts.unlink(id)}
      onSent={() => notifyChange('identities')}
    >
      Unlink
    </ActionButton>
  );
}
