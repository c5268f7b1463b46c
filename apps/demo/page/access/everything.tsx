import { useQuery } from '@x/client/cache';
import type { AccessCheck } from '@x/access/access-set';
import type { ReactElement } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { withQuery } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { toDenialText } from '../screen/wording.tsx';
import { entitlementName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { entitlementNames } from './model.ts';

/** Whom and what decisions are about. */
interface About {
  /** Another person; null for the visitor. */
  readonly person: string | null;
  readonly resource: Resource;
}

/** Decides everything on one resource at once. */
const decisions = cache.query(['members', 'plan', 'projects', 'tasks'], async (question: About, options) => {
  const { person, resource } = question;
  const names = entitlementNames.filter((name) => name.startsWith(`${resource.type}:`));
  const answer = await client.request<{ readonly results: readonly AccessCheck[] }>('/api/access/check', {
    ...options,
    method: 'POST',
    body: {
      checks: names.map((entitlement) => ({ entitlement, resource })),
      ...(person !== null && { userId: person }),
    },
  });
  if (!answer.ok) return answer;
  const data = names.flatMap((name, index) => {
    const check = answer.data.results[index];
    return check ? [{ name, check }] : [];
  });
  return { ok: true, value: data, data } as const;
});

/** All that a person may do on a resource, and why not the rest. */
export function Everything(props: About): ReactElement {
  return (
    <section aria-labelledby="everything" className="card">
      <h2 id="everything">{t.access.all}</h2>
      <p className="hint">{t.access.allLead}</p>
      <Loaded of={useQuery(decisions, props)}>
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
                      <a href={withQuery({ entitlement: name })} title={name}>
                        {entitlementName(name)}
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
