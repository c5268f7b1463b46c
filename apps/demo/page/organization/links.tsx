import { useQuery } from '@x/client/react';
import { Copy } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useOrganizationId } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { DialogButton } from '../form/dialog-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { formatDay, formatMoment, shorten } from '../screen/wording.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { offeredRoles } from './queries.ts';

const links = cache.query(['links'], (organizationId: string, options) =>
  client.entities.organizations.links.get(organizationId, options),
);

const daySeconds = 86_400;

function revokeLink(organizationId: string, linkId: string) {
  const { organizations } = client.entities;
  return cache.write(() => organizations.revokeLink(organizationId, { linkId }, { keepsAccess: true }), {
    touches: ['links'],
    merge: () => [links.merge(({ items }) => ({ items: items.filter(({ id }) => id !== linkId) }))],
  });
}

/** The links by which many can join. */
export function Links(): ReactElement {
  const organizationId = useOrganizationId();
  return (
    <section aria-labelledby="links" className="card">
      <div className="card-head">
        <h2 id="links">{t.organization.links}</h2>
        <DialogButton title={t.organization.createLink} content={(close) => <NewLink onDone={close} />}>
          {t.organization.createLink}
        </DialogButton>
      </div>
      <Loaded of={useQuery(links, organizationId)} lines={1}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="empty">{t.organization.noLinks}</p>
          ) : (
            <ul className="rows">
              {items.map((link) => (
                <LinkRow key={link.id} link={link} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

type Link = NonNullable<ReturnType<ReturnType<typeof links.at>['getSnapshot']>['data']>['items'][number];

/** A link, which who made it and when tell from others of the same role. */
function LinkRow(props: { readonly link: Link }): ReactElement {
  const { id, role, invitedBy, createdAt, uses, maxUses, expiresAt } = props.link;
  const organizationId = useOrganizationId();
  const nameOf = useNames();
  const by = t.organization.eventBy(shorten(nameOf(invitedBy) ?? t.common.somebody));
  const made = `${by}, ${formatMoment(createdAt)}`;
  const title = t.organization.revokeLink(roleName(role), made);
  return (
    <li>
      <span className="grow">
        <strong>{roleName(role)}</strong>{' '}
        <span className="hint">
          {made}, {t.organization.linkUses(uses, maxUses)}
          {expiresAt !== null && `, ${t.organization.expires(formatDay(expiresAt))}`}
        </span>
      </span>
      <ConfirmButton
        className="quiet"
        title={title}
        label={title}
        body={t.notes.deleteBody}
        submit={t.organization.revoke}
        send={() => revokeLink(organizationId, id)}
        onSent={() => announce(t.organization.linkRevoked)}
      >
        {t.organization.revoke}
      </ConfirmButton>
    </li>
  );
}

/** Makes a link, and shows it once: the server keeps only a hash, and cannot show it again. */
function NewLink(props: { readonly onDone: () => void }): ReactElement {
  const organizationId = useOrganizationId();
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) return <CreatedLink token={token} onDone={props.onDone} />;
  return (
    <>
      <p>{t.organization.linksLead}</p>
      <Form
        label={t.organization.createLink}
        submit={t.organization.createLink}
        send={({ role, maxUses = '', days = '' }) =>
          cache.write(
            () =>
              client.entities.organizations.createLink(
                organizationId,
                {
                  role: chosenOf(offeredRoles, role),
                  expiresIn: Number(days) * daySeconds,
                  ...(maxUses !== '' && { maxUses: Number(maxUses) }),
                },
                { keepsAccess: true },
              ),
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
        <Field
          label={t.organization.maxUses}
          hint={t.organization.maxUsesHint}
          name="maxUses"
          type="number"
          min={1}
          max={1000}
          required={false}
        />
      </Form>
    </>
  );
}

function CreatedLink(props: { readonly token: string; readonly onDone: () => void }): ReactElement {
  const url = `${location.origin}/join?token=${props.token}`;
  return (
    <>
      <p role="status">{t.organization.linkOnce}</p>
      <pre className="wrapped">{url}</pre>
      <button
        className="primary"
        autoFocus
        onClick={() => void navigator.clipboard.writeText(url).then(() => announce(t.common.copied))}
      >
        <Copy aria-hidden /> {t.common.copy}
      </button>
      <button onClick={props.onDone}>{t.common.close}</button>
    </>
  );
}
