import { useQuery } from '@x/client/cache';
import { type ReactElement, useState } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { useNames } from '../client/queries.ts';
import { LoadedPages } from '../screen/loaded.tsx';
import { roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import type { NameOf } from './resource-select.tsx';

const holders = cache.pages(
  ['members', 'projects', 'plan'],
  (question: { readonly entitlement: string; readonly resource: Resource }, after, options) =>
    client.services.access.who({ ...question, after }, options),
);

/** Lists who else has an entitlement on a resource, and by which role, for those who manage it. */
export function WhoMay(props: {
  readonly entitlement: string;
  readonly resource: Resource;
  readonly nameOf: NameOf;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label={t.access.whoMay} className="card">
      <h2>{t.access.whoMay}</h2>
      {isOpen ? (
        <Holders {...props} />
      ) : (
        <div>
          <button onClick={() => setOpen(true)}>{t.access.showWho}</button>
        </div>
      )}
    </section>
  );
}

function Holders(props: {
  readonly entitlement: string;
  readonly resource: Resource;
  readonly nameOf: NameOf;
}): ReactElement {
  const { entitlement, resource, nameOf } = props;
  const nameOfUser = useNames();
  const asked = useQuery(holders, { entitlement, resource });
  if (asked.error?.status === 403) return <p>{t.access.onlyManaging}</p>;
  return (
    <LoadedPages of={asked} empty={t.access.nobodyMay}>
      {(items) => (
        <ul className="rows">
          {items.map(({ userId, way: [assigned] }) => (
            <li key={userId}>
              <strong>{nameOfUser(userId) ?? t.access.userId(userId)}</strong>
              {assigned && <span>{t.project.through(roleName(assigned.role), nameOf(assigned.resource))}</span>}
            </li>
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}
