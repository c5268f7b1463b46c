import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { providers } from '../client/queries.ts';
import ProviderIcon from '../entry/provider-icon.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { identities } from './confirmation.tsx';

interface Provider {
  readonly id: string;
  readonly name: string;
}

/** The providers that the user can sign in with, linked or not; nothing if none is configured. */
export function Identities(): ReactElement | null {
  const { data: offered = [] } = useQuery(providers, undefined);
  if (offered.length === 0) return null;
  return (
    <section aria-labelledby="identities" className="card">
      <h2 id="identities">{t.account.identities}</h2>
      <IdentityList providers={offered} />
    </section>
  );
}

function IdentityList(props: { readonly providers: readonly Provider[] }): ReactElement {
  return (
    <Loaded of={useQuery(identities, undefined)}>
      {(linked) => (
        <ul className="rows">
          {props.providers.map(({ id, name }) => {
            const identity = linked.find(({ provider }) => provider === id);
            return (
              <li key={id}>
                <ProviderIcon id={id} />
                <div className="grow">
                  <strong>{name}</strong>
                  <p className="hint">{identity ? (identity.email ?? t.account.linked) : t.account.notLinked}</p>
                </div>
                {identity ? <Unlink id={id} name={name} /> : <Link id={id} name={name} />}
              </li>
            );
          })}
        </ul>
      )}
    </Loaded>
  );
}

function Link({ id, name }: Provider): ReactElement {
  return (
    <ActionButton
      label={t.account.linkLabel(name)}
      send={() => client.auth.oauthAccounts.link(id, { redirectTo: '/account' })}
      onSent={({ url }) => location.assign(url)}
    >
      {t.account.link}
    </ActionButton>
  );
}

function Unlink({ id, name }: Provider): ReactElement {
  return (
    <ActionButton
      label={t.account.unlinkLabel(name)}
      send={() => cache.write(() => client.auth.oauthAccounts.unlink(id), { touches: ['identities'] })}
    >
      {t.account.unlink}
    </ActionButton>
  );
}
