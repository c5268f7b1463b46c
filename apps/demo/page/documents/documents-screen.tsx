import { useQuery } from '@x/client/cache';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useUser } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field, TextArea } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** The documents of the organization that the user may read, the latest first. */
const documentPages = cache.pages(['documents'], (_: string | null, after, options) =>
  client.entities.documents.list({ orderBy: 'updatedAt:desc', limit: 30, ...(after !== null && { after }) }, options),
);

type Document = NonNullable<ReturnType<ReturnType<typeof documentPages.at>['getSnapshot']>['data']>['items'][number];

const touches = ['documents'] as const;

/** Documents, the user's own and those that others share. */
export default function DocumentsScreen(): ReactElement {
  const documents = useQuery(documentPages, useUser().tenantId);
  return (
    <Screen title={t.documents.title}>
      <p className="lead">{t.documents.lead}</p>
      <div className="beside">
        <section aria-label={t.documents.title}>
          <LoadedPages of={documents} empty={t.documents.empty} lines={4}>
            {(items) => (
              <ul className="tiles">
                {items.map((each) => (
                  <DocumentCard key={each.id} document={each} />
                ))}
              </ul>
            )}
          </LoadedPages>
        </section>
        <section aria-labelledby="new-document" className="card">
          <h2 id="new-document">{t.documents.newDocument}</h2>
          <Form
            label={t.documents.newDocument}
            submit={t.documents.add}
            clears
            send={(values) => cache.write(() => client.entities.documents.create(toInput(values)), { touches })}
          >
            <DocumentFields />
          </Form>
        </section>
      </div>
    </Screen>
  );
}

function toInput({ title = '', body = '' }: FormValues) {
  return { title, body };
}

function DocumentFields(props: { readonly document?: Document }): ReactElement {
  return (
    <>
      <Field label={t.notes.heading} name="title" autoComplete="off" defaultValue={props.document?.title} />
      <TextArea label={t.notes.body} name="body" rows={8} defaultValue={props.document?.body} />
    </>
  );
}

function DocumentCard(props: { readonly document: Document }): ReactElement {
  const { title, body, shared, ownerId, updatedAt } = props.document;
  const user = useUser();
  const nameOf = useNames();
  const isOwn = ownerId === user.id;
  return (
    <li className="card tile">
      <h2>{title}</h2>
      <p className="text clamp">{body}</p>
      <p className="facts">
        <span className={shared ? 'tag' : 'tag low'}>{shared ? t.documents.shared : t.documents.private}</span>
        {!isOwn && <span className="hint clip">{t.documents.by(nameOf(ownerId) ?? t.common.somebody)}</span>}
        <Moment at={updatedAt} />
      </p>
      {isOwn && <DocumentActions document={props.document} />}
    </li>
  );
}

function DocumentActions(props: { readonly document: Document }): ReactElement {
  const { id, title, shared } = props.document;
  const [isEdited, setEdited] = useState(false);
  return (
    <div className="actions end">
      <ActionButton
        label={shared ? t.documents.unshare(title) : t.documents.share(title)}
        send={() => cache.write(() => client.entities.documents.update(id, { shared: !shared }), { touches })}
        onSent={() => announce(shared ? t.documents.unsharedNow(title) : t.documents.sharedNow(title))}
      >
        {shared ? t.documents.unshareButton : t.project.shareSubmit}
      </ActionButton>
      <button className="quiet" aria-label={t.notes.editLabel(title)} onClick={() => setEdited(true)}>
        <Pencil aria-hidden />
      </button>
      <ConfirmButton
        title={t.notes.deleteLabel(title)}
        body={t.notes.deleteBody}
        submit={t.common.delete}
        label={t.notes.deleteLabel(title)}
        className="danger quiet"
        send={() => cache.write(() => client.entities.documents.delete(id), { touches })}
      >
        <Trash2 aria-hidden />
      </ConfirmButton>
      {isEdited && (
        <Dialog title={t.notes.editLabel(title)} onClose={() => setEdited(false)}>
          <Form
            label={t.notes.editLabel(title)}
            submit={t.documents.save}
            send={(values) => cache.write(() => client.entities.documents.update(id, toInput(values)), { touches })}
            onSent={() => {
              setEdited(false);
              announce(t.common.changed);
            }}
          >
            <DocumentFields document={props.document} />
          </Form>
        </Dialog>
      )}
    </div>
  );
}
