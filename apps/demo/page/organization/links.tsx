import { useQuery } from '@x/client/cache';
import { Copy } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { formatDay } from '../screen/wording.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { offeredRoles } from './queries.ts';

const links = cache.query(['links', 'members'], (organizationId: string, options) =>
  client.entities.organizations.links.get(organizationId, options),
);

const daySeconds = 86_400;

/** The links by which many can join, and a form for a new one, which is shown once. */
export function Links(): ReactElement {
  const organizationId = useOrganizationId();
  const [token, setToken] = useState<string | null>(null);
  const { createLink, revokeLink } = client.entities.organizations;
  return (
    <section aria-labelledby="links" className="card">
      <h2 id="links">{t.organization.links}</h2>
      <p className="hint">{t.organization.linksLead}</p>
      {token !== null && <NewLink token={token} />}
      <Loaded of={useQuery(links, organizationId)} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="empty">{t.organization.noLinks}</p>
          ) : (
            <ul className="rows">
              {items.map(({ id: linkId, role, uses, maxUses, expiresAt }) => (
                <li key={linkId}>
                  <span className="grow">
                    <strong>{roleName(role)}</strong>{' '}
                    <span className="hint">
                      {t.organization.linkUses(uses, maxUses)}
                      {expiresAt !== null && `, ${t.organization.expires(formatDay(expiresAt))}`}
                    </span>
                  </span>
                  <ActionButton
                    className="quiet danger"
                    label={t.organization.revokeLink(roleName(role))}
                    send={() => cache.write(() => revokeLink(organizationId, { linkId }), { touches: ['links'] })}
                    onSent={() => announce(t.organization.linkRevoked)}
                  >
                    {t.organization.revoke}
                  </ActionButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Form
        label={t.organization.createLink}
        submit={t.organization.createLink}
        tone="plain"
        clears
        send={({ role, maxUses = '', days = '' }) =>
          cache.write(
            () =>
              createLink(organizationId, {
                role: chosenOf(offeredRoles, role),
                expiresIn: Number(days) * daySeconds,
                ...(maxUses !== '' && { maxUses: Number(maxUses) }),
              }),
            { touches: ['links'] },
          )
        }
        onSent={(created) => setToken(created.token)}
      >
        <div className="pair">
          <Select label={t.organization.role} name="role" options={toOptions(offeredRoles, roleName)} />
          <Select
            label={t.organization.validFor}
            name="days"
            options={[7, 1, 30].map((count) => ({ value: String(count), text: t.organization.days(count) }))}
          />
        </div>
        <Field label={t.organization.maxUses} name="maxUses" type="number" min={1} max={1000} required={false} />
      </Form>
    </section>
  );
}

/** A link that the server cannot show again: it keeps only a hash. */
function NewLink(props: { readonly token: string }): ReactElement {
  const url = `${location.origin}/join?token=${props.token}`;
  return (
    <div role="status" className="notice">
      <p>{t.organization.linkOnce}</p>
      <code className="clip">{url}</code>
      <button onClick={() => void navigator.clipboard.writeText(url).then(() => announce(t.common.copied))}>
        <Copy aria-hidden /> {t.common.copy}
      </button>
    </div>
  );
}
