import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { withQuery } from '../navigation/location.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { toStart } from '../screen/wording.tsx';
import { roleName } from '../text/names.ts';
import { tools } from '../text/tools.ts';
import type { NameOf } from './resource-select.tsx';

const granted = cache.pages(
  ['members', 'plan', 'projects', 'roles', 'tasks'],
  (question: { readonly entitlement: string; readonly type: string }, after, options) =>
    client.services.access.lookup({ ...question, after }, options),
);

/** Everything on which the user has an entitlement, with the role that gives it. */
export function Lookup(props: { readonly entitlement: string; readonly nameOf: NameOf }): ReactElement {
  const { entitlement, nameOf } = props;
  const [type = ''] = entitlement.split(':');
  return (
    <section aria-labelledby="lookup" className="card">
      <h2 id="lookup">{tools.access.lookup}</h2>
      <p className="hint">{tools.access.lookupLead}</p>
      <LoadedPages of={useQuery(granted, { entitlement, type })} empty={tools.access.lookupNone}>
        {(items) => (
          <ul className="rows">
            {items.map(({ resource, way }) => (
              <li key={resource.id}>
                <a className="grow clamp" href={withQuery({ resource: `${resource.type}:${resource.id}` })}>
                  {toStart(nameOf(resource))}
                </a>
                <span className="hint">{roleName(way.at(-1)?.role ?? '')}</span>
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
