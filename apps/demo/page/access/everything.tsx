import { useQuery } from '@x/client/cache';
import type { AccessCheck } from '@x/access/access-set';
import type { ReactElement } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { Loaded } from '../screen/loaded.tsx';
import { toDenialText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { entitlementNames } from './model.ts';

/** Decides everything on one resource at once. */
const decisions = cache.query(['members', 'plan', 'projects', 'tasks'], async (resource: Resource, options) => {
  const names = entitlementNames.filter((name) => name.startsWith(`${resource.type}:`));
  const answer = await client.request<{ readonly results: readonly AccessCheck[] }>('/api/access/check', {
    ...options,
    method: 'POST',
    body: { checks: names.map((entitlement) => ({ entitlement, resource })) },
  });
  if (!answer.ok) return answer;
  const data = names.flatMap((name, index) => {
    const check = answer.data.results[index];
    return check ? [{ name, check }] : [];
  });
  return { ok: true, value: data, data } as const;
});

/** All that the user may do on a resource, and why not the rest. */
export function Everything(props: { readonly resource: Resource }): ReactElement {
  const { resource } = props;
  return (
    <section aria-labelledby="everything" className="card">
      <h2 id="everything">{t.access.all}</h2>
      <p className="hint">{t.access.allLead}</p>
      <Loaded of={useQuery(decisions, resource)}>
        {(rows) => (
          <div className="table-scroller" tabIndex={0} role="region" aria-label={t.access.allRegion}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.access.entitlement}</th>
                  <th scope="col">{t.access.decision}</th>
                  <th scope="col">{t.access.reason}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ name, check }) => (
                  <tr key={name}>
                    <th scope="row">
                      <a href={`/access?${new URLSearchParams({ entitlement: name, resource: toText(resource) })}`}>
                        {name}
                      </a>
                    </th>
                    <td>
                      <span className={check.allowed ? 'tag' : 'tag bad'}>
                        {check.allowed ? t.access.allowed : t.access.denied}
                      </span>
                    </td>
                    <td>{toDenialText(check)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </section>
  );
}

/** Writes a resource as addresses have it. */
function toText({ type, id }: Resource): string {
  return `${type}:${id}`;
}
