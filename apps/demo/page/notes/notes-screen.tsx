import { useQuery } from '@x/client/react';
import { Pencil, Pin, Trash2, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { withoutRow } from '../client/merge-rows.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { DialogButton } from '../form/dialog-button.tsx';
import { Form } from '../form/form.tsx';
import { SearchField } from '../form/search-field.tsx';
import { usePlace } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { Composer } from './composer.tsx';
import { toWritten, WrittenFields } from './note-fields.tsx';

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

/** Private notes, to be written, pinned, searched, and changed one or many at once. */
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
      <div className="stack readable">
        <Composer />
        <section aria-label={t.notes.title} className="stack">
          {selected.size > 0 ? (
            <SelectionBar ids={[...selected]} onDone={() => setSelected(new Set())} />
          ) : (
            <SearchField label={t.notes.search} name="search" />
          )}
          <LoadedPages
            of={useQuery(notePages, search)}
            empty={search === '' ? t.notes.empty : t.notes.nothingFits}
            lines={4}
          >
            {(notes) => (
              <ul className="stack note-list">
                {notes.map((note) => (
                  <NoteCard key={note.id} note={note} isSelected={selected.has(note.id)} onToggle={toggle} />
                ))}
              </ul>
            )}
          </LoadedPages>
        </section>
      </div>
    </Screen>
  );
}

/** What can be done with all notes that are selected; the server takes 100 at once. */
function SelectionBar(props: { readonly ids: readonly string[]; readonly onDone: () => void }): ReactElement {
  const { onDone } = props;
  const ids = props.ids.slice(0, 100);
  return (
    <div role="group" aria-label={t.notes.selection} className="selection">
      <strong className="grow">{t.notes.selected(props.ids.length)}</strong>
      <ActionButton
        send={() =>
          cache.write(() => client.entities.notes.bulk({ update: ids.map((id) => ({ id, pinned: true })) }), {
            touches,
          })
        }
        onSent={onDone}
      >
        <Pin aria-hidden /> {t.notes.pinSelected}
      </ActionButton>
      <ConfirmButton
        title={t.notes.deleteSelected}
        body={t.notes.deleteBody}
        submit={t.common.delete}
        label={t.notes.deleteSelected}
        send={() => cache.write(() => client.entities.notes.bulk({ delete: ids }), { touches, deletes: ids })}
        onSent={({ deleted }) => {
          onDone();
          announce(t.notes.deleted(deleted.length));
        }}
      >
        <Trash2 aria-hidden /> {t.common.delete}
      </ConfirmButton>
      <button className="quiet" aria-label={t.notes.selectNone} title={t.notes.selectNone} onClick={onDone}>
        <X aria-hidden />
      </button>
    </div>
  );
}

function NoteCard(props: {
  readonly note: Note;
  readonly isSelected: boolean;
  readonly onToggle: (id: string) => void;
}): ReactElement {
  const { note, isSelected, onToggle } = props;
  const { id, title, body, pinned, updatedAt } = note;
  return (
    <li className="card note">
      <input type="checkbox" aria-label={t.notes.select(title)} checked={isSelected} onChange={() => onToggle(id)} />
      <div className="grow stack tight">
        <h2 className="clamp" title={title}>
          {title}
        </h2>
        {body !== '' && <p className="text">{body}</p>}
        <Moment at={updatedAt} />
      </div>
      <PinButton note={note} />
      <Menu label={t.common.moreFor(title)}>{() => <NoteActions note={note} />}</Menu>
      {pinned && <span className="unseen">{t.notes.pinned}</span>}
    </li>
  );
}

function PinButton({ note: { id, title, pinned } }: { readonly note: Note }): ReactElement {
  const label = pinned ? t.notes.unpin(title) : t.notes.pin(title);
  return (
    <ActionButton
      className={pinned ? 'quiet marked' : 'quiet'}
      label={label}
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
      <Pin aria-hidden />
    </ActionButton>
  );
}

function NoteActions({ note }: { readonly note: Note }): ReactElement {
  const { id, title } = note;
  return (
    <>
      <DialogButton
        title={t.notes.editLabel(title)}
        content={(close) => (
          <Form
            label={t.notes.editLabel(title)}
            submit={t.notes.save}
            send={(values) => cache.write(() => client.entities.notes.update(id, toWritten(values)), { touches })}
            onSent={() => {
              close();
              announce(t.common.changed);
            }}
          >
            <WrittenFields of={note} />
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
          cache.write(() => client.entities.notes.delete(id), {
            touches,
            deletes: [id],
            merge: () => [notePages.merge((pages) => withoutRow(pages, id))],
          })
        }
        onSent={() => announce(t.notes.deleted(1))}
      >
        <Trash2 aria-hidden /> {t.common.delete}
      </ConfirmButton>
    </>
  );
}
