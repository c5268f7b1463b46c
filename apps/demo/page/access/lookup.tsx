import { useQuery } from '@x/client/cache';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import type { NameOf } from './resource-select.tsx';

const granted = cache.pages(
  ['members', 'plan', 'projects', 'tasks'],
  (question: { readonly entitlement: string; readonly type: string }, after, options) =>
    client.services.access.lookup({ ...question, after }, options),
);

/** Everything on which the user has an entitlement, with the role that gives it. */
export function Lookup(props: { readonly entitlement: string; readonly nameOf: NameOf }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-labelledby="lookup" className="card">
      <h2 id="lookup">{t.access.lookup}</h2>
      <p className="hint">{t.access.lookupLead}</p>
      {isOpen ? (
        <Granted {...props} />
      ) : (
        <div>
          <button onClick={() => setOpen(true)}>{t.access.lookup}</button>
        </div>
      )}
    </section>
  );
}

function Granted(props: { readonly entitlement: string; readonly nameOf: NameOf }): ReactElement {
  const { entitlement, nameOf } = props;
  const [type = ''] = entitlement.split(':');
  return (
    <LoadedPages of={useQuery(granted, { entitlement, type })} empty={t.access.lookupNone}>
      {(items) => (
        <ul className="rows">
          {items.map(({ resource, way }) => (
            <li key={resource.id}>
              <a
                className="grow"
                href={`/access?${new URLSearchParams({ entitlement, resource: `${resource.type}:${resource.id}` })}`}
              >
                {nameOf(resource)}
              </a>
              <span className="hint">{way.at(-1)?.role}</span>
            </li>
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}
