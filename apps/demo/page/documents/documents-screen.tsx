import { useQuery } from '@x/client/react';
import { Pencil, Plus, Trash2, Users } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useUser } from '../client/queries.ts';
import { withoutRow } from '../client/merge-rows.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { DialogButton } from '../form/dialog-button.tsx';
import { Form } from '../form/form.tsx';
import { toWritten, WrittenFields } from '../notes/note-fields.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { ShareSwitch } from './share-switch.tsx';

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
    <Screen title={t.documents.title} actions={<NewDocument />}>
      <p className="lead">{t.documents.lead}</p>
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
    </Screen>
  );
}

function NewDocument(): ReactElement {
  return (
    <DialogButton
      title={t.documents.newDocument}
      className="primary"
      content={(close) => (
        <Form
          label={t.documents.newDocument}
          submit={t.documents.add}
          send={(values) => cache.write(() => client.entities.documents.create(toWritten(values)), { touches })}
          onSent={({ title }) => {
            close();
            announce(t.documents.added(title));
          }}
        >
          <p className="hint">{t.documents.privateAtFirst}</p>
          <WrittenFields rows={8} />
        </Form>
      )}
    >
      <Plus aria-hidden /> {t.documents.newDocument}
    </DialogButton>
  );
}

function DocumentCard({ document }: { readonly document: Document }): ReactElement {
  const { id, title, body, shared, ownerId, updatedAt } = document;
  const isOwn = ownerId === useUser().id;
  const share = (isShared: boolean) =>
    cache.write(() => client.entities.documents.update(id, { shared: isShared }), {
      touches,
      change: () => [
        documentPages.change((pages) => ({
          ...pages,
          items: pages.items.map((each) => (each.id === id ? { ...each, shared: isShared } : each)),
        })),
      ],
    });
  return (
    <li className="card tile">
      <div className="tile-head">
        <h2 className="grow" title={title}>
          <DialogButton
            title={title}
            className="as-text"
            content={() => <p className="text">{body === '' ? t.documents.blank : body}</p>}
          >
            <span className="clamp">{title}</span>
          </DialogButton>
        </h2>
        {isOwn && <Menu label={t.common.moreFor(title)}>{() => <DocumentActions document={document} />}</Menu>}
      </div>
      <div>
        <p className="text clamp">{body}</p>
        <Moment at={updatedAt} />
      </div>
      {isOwn ? <ShareSwitch title={title} isShared={shared} share={share} /> : <SharedBy ownerId={ownerId} />}
    </li>
  );
}

function SharedBy(props: { readonly ownerId: string }): ReactElement {
  const name = useNames()(props.ownerId) ?? t.common.somebody;
  return (
    <p className="share hint">
      <Users aria-hidden /> {t.documents.sharedBy(name)}
    </p>
  );
}

function DocumentActions({ document }: { readonly document: Document }): ReactElement {
  const { id, title } = document;
  return (
    <>
      <DialogButton
        title={t.notes.editLabel(title)}
        content={(close) => (
          <Form
            label={t.notes.editLabel(title)}
            submit={t.documents.save}
            send={(values) => cache.write(() => client.entities.documents.update(id, toWritten(values)), { touches })}
            onSent={() => {
              close();
              announce(t.common.changed);
            }}
          >
            <WrittenFields of={document} rows={8} />
          </Form>
        )}
      >
        <Pencil aria-hidden /> {t.notes.edit}
      </DialogButton>
      <ConfirmButton
        title={t.notes.deleteLabel(title)}
        body={t.notes.deleteBody}
        submit={t.common.delete}
        send={() =>
          cache.write(() => client.entities.documents.delete(id), {
            touches,
            deletes: [id],
            merge: () => [documentPages.merge((pages) => withoutRow(pages, id))],
          })
        }
        onSent={() => announce(t.documents.deleted(title))}
      >
        <Trash2 aria-hidden /> {t.common.delete}
      </ConfirmButton>
    </>
  );
}
