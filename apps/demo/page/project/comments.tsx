import { useQuery } from '@x/client/react';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, useUser } from '../client/queries.ts';
import { withoutRow, withRow } from '../client/merge-rows.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

const commentPages = cache.pages(['comments'], (taskId: string, after, options) =>
  client.entities.comments.list(
    { where: { taskId }, orderBy: 'createdAt', limit: 50, ...(after !== null && { after }) },
    options,
  ),
);

type Comment = NonNullable<ReturnType<ReturnType<typeof commentPages.at>['getSnapshot']>['data']>['items'][number];

const touches = ['comments'] as const;

/** Adds a comment, which is the last one. */
function addComment(taskId: string, body: string) {
  return cache.write(() => client.entities.comments.create({ taskId, body }), {
    touches,
    merge: ({ data }) => [
      commentPages.merge((pages, of) => {
        if (of !== taskId) return pages;
        const isLast = pages.nextCursor === null && pages.items.every(({ createdAt }) => createdAt < data.createdAt);
        return isLast ? { ...pages, items: [...pages.items, data] } : undefined;
      }),
    ],
  });
}

function changeComment(id: string, body: string) {
  return cache.write(() => client.entities.comments.update(id, { body }), {
    touches,
    merge: ({ data }) => [commentPages.merge((pages, of) => (of === data.taskId ? withRow(pages, data) : pages))],
  });
}

function deleteComment(id: string) {
  return cache.write(() => client.entities.comments.delete(id), {
    touches,
    deletes: [id],
    merge: () => [commentPages.merge((pages) => withoutRow(pages, id))],
  });
}

/** The comments on a task. */
export function Comments(props: { readonly taskId: string }): ReactElement {
  const { taskId } = props;
  return (
    <section aria-labelledby="comments" className="stack discussion">
      <h3 id="comments">{t.tasks.comments}</h3>
      <LoadedPages of={useQuery(commentPages, taskId)} empty={t.tasks.noComments} lines={2}>
        {(items) => (
          <ul className="comments">
            {items.map((comment) => (
              <CommentItem key={comment.id} comment={comment} />
            ))}
          </ul>
        )}
      </LoadedPages>
      <Form
        label={t.tasks.newComment}
        submit={t.tasks.say}
        className="form line"
        tone="plain"
        clears
        draft={`comment ${taskId}`}
        send={({ body = '' }) => addComment(taskId, body)}
      >
        <Field label={t.tasks.comment} name="body" placeholder={t.tasks.commentPlaceholder} />
      </Form>
    </section>
  );
}

function CommentItem(props: { readonly comment: Comment }): ReactElement {
  const { body, authorId, createdAt, updatedAt } = props.comment;
  const user = useUser();
  const nameOf = useNames();
  const [isEdited, setEdited] = useState(false);
  const isOwn = authorId === user.id;
  return (
    <li>
      <div className="comment-head">
        <p className="facts grow">
          <strong className="clip">{isOwn ? t.common.you : (nameOf(authorId) ?? t.common.somebody)}</strong>{' '}
          <Moment at={createdAt} /> {updatedAt !== createdAt && <span className="hint">{t.tasks.edited}</span>}
        </p>
        {isOwn && !isEdited && <CommentMenu comment={props.comment} onEdit={() => setEdited(true)} />}
      </div>
      {isEdited ? <EditedComment comment={props.comment} onDone={() => setEdited(false)} /> : <p>{body}</p>}
    </li>
  );
}

function CommentMenu(props: { readonly comment: Comment; readonly onEdit: () => void }): ReactElement {
  const { comment, onEdit } = props;
  return (
    <Menu label={t.common.moreFor(comment.body)}>
      {() => (
        <>
          <button type="button" onClick={onEdit}>
            <Pencil aria-hidden /> {t.tasks.editComment}
          </button>
          <ConfirmButton
            title={t.tasks.deleteComment}
            body={comment.body}
            submit={t.common.delete}
            send={() => deleteComment(comment.id)}
          >
            <Trash2 aria-hidden /> {t.tasks.deleteComment}
          </ConfirmButton>
        </>
      )}
    </Menu>
  );
}

function EditedComment(props: { readonly comment: Comment; readonly onDone: () => void }): ReactElement {
  const { comment, onDone } = props;
  return (
    <Form
      label={t.tasks.editComment}
      submit={t.common.save}
      className="form line"
      tone="plain"
      send={({ changed = '' }) => changeComment(comment.id, changed)}
      onSent={onDone}
    >
      <Field label={t.tasks.editComment} name="changed" defaultValue={comment.body} autoFocus />
    </Form>
  );
}
