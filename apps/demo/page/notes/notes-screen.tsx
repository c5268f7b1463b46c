import { useQuery } from '@x/client/cache';
import { Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field, TextArea } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { SearchField } from '../form/search-field.tsx';
import { usePlace } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** The notes of the user, those that are pinned first. */
const notePages = cache.pages(['notes'], (search: string, after, options) =>
  client.entities.notes.list(
    {
      ...(search !== '' && { where: { title: { icontains: search } } }),
      orderBy: ['pinned:desc', 'createdAt:desc'],
      limit: 50,
      count: true,
      ...(after !== null && { after }),
    },
    options,
  ),
);

type Note = NonNullable<ReturnType<ReturnType<typeof notePages.at>['getSnapshot']>['data']>['items'][number];

const touches = ['notes'] as const;

/** Private notes, to be written, pinned, searched, and deleted one or many at once. */
export default function NotesScreen(): ReactElement {
  const search = (usePlace().query.get('search') ?? '').slice(0, 256);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <Screen title={t.notes.title}>
      <p className="lead">{t.notes.lead}</p>
      <div className="beside">
        <section aria-label={t.notes.title} className="stack">
          <div className="toolbar">
            <SearchField label={t.notes.search} name="search" />
            {selected.size > 0 && <DeleteSelected ids={[...selected]} onDone={() => setSelected(new Set())} />}
          </div>
          <LoadedPages
            of={useQuery(notePages, search)}
            empty={search === '' ? t.notes.empty : t.notes.nothingFits}
            lines={4}
          >
            {(notes) => (
              <ul className="stack">
                {notes.map((note) => (
                  <NoteCard key={note.id} note={note} isSelected={selected.has(note.id)} onToggle={toggle} />
                ))}
              </ul>
            )}
          </LoadedPages>
        </section>
        <section aria-labelledby="new-note" className="card">
          <h2 id="new-note">{t.notes.newNote}</h2>
          <Form
            label={t.notes.newNote}
            submit={t.notes.add}
            clears
            send={(values) => cache.write(() => client.entities.notes.create(toInput(values)), { touches })}
          >
            <NoteFields />
          </Form>
        </section>
      </div>
    </Screen>
  );
}

function toInput({ title = '', body = '' }: FormValues) {
  return { title, body };
}

function NoteFields(props: { readonly note?: Note }): ReactElement {
  return (
    <>
      <Field label={t.notes.heading} name="title" autoComplete="off" defaultValue={props.note?.title} />
      <TextArea label={t.notes.body} name="body" defaultValue={props.note?.body} />
    </>
  );
}

function DeleteSelected(props: { readonly ids: readonly string[]; readonly onDone: () => void }): ReactElement {
  const { ids, onDone } = props;
  return (
    <>
      <strong>{t.notes.selected(ids.length)}</strong>
      <ConfirmButton
        title={t.notes.deleteSelected}
        body={t.notes.deleteBody}
        submit={t.common.delete}
        label={t.notes.deleteSelected}
        send={() => cache.write(() => client.entities.notes.bulk({ delete: ids.slice(0, 100) }), { touches })}
        onSent={({ deleted }) => {
          onDone();
          announce(t.notes.deleted(deleted.length));
        }}
      >
        {t.common.delete}
      </ConfirmButton>
    </>
  );
}

function NoteCard(props: {
  readonly note: Note;
  readonly isSelected: boolean;
  readonly onToggle: (id: string) => void;
}): ReactElement {
  const { note, isSelected, onToggle } = props;
  const { id, title, body, pinned, updatedAt } = note;
  const [isEdited, setEdited] = useState(false);
  const PinIcon = pinned ? PinOff : Pin;
  return (
    <li className="card note">
      <input type="checkbox" aria-label={t.notes.select(title)} checked={isSelected} onChange={() => onToggle(id)} />
      <div className="grow stack tight">
        <h2>
          {title} {pinned && <span className="tag">{t.notes.pinned}</span>}
        </h2>
        <p className="text">{body}</p>
        <Moment at={updatedAt} />
      </div>
      <div className="actions">
        <ActionButton
          className="quiet"
          label={pinned ? t.notes.unpin(title) : t.notes.pin(title)}
          send={() =>
            cache.write(() => client.entities.notes.update(id, { pinned: !pinned }), {
              touches,
              change: () => [
                notePages.change((pages) => ({
                  ...pages,
                  items: pages.items.map((each) => (each.id === id ? { ...each, pinned: !pinned } : each)),
                })),
              ],
            })
          }
        >
          <PinIcon aria-hidden />
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
          send={() => cache.write(() => client.entities.notes.delete(id), { touches })}
          onSent={() => announce(t.notes.deleted(1))}
        >
          <Trash2 aria-hidden />
        </ConfirmButton>
      </div>
      {isEdited && (
        <Dialog title={t.notes.editLabel(title)} onClose={() => setEdited(false)}>
          <Form
            label={t.notes.editLabel(title)}
            submit={t.notes.save}
            send={(values) => cache.write(() => client.entities.notes.update(id, toInput(values)), { touches })}
            onSent={() => {
              setEdited(false);
              announce(t.common.changed);
            }}
          >
            <NoteFields note={note} />
          </Form>
        </Dialog>
      )}
    </li>
  );
}
