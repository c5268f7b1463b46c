import { useList } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { ShowList, useSyncedList } from '../client/load.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Moment } from '../screen/wording.tsx';

/** The comments on a task, loaded once they are opened. */
export function CommentSection(props: { readonly taskId: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Comments</summary>
      {isOpen && <Comments taskId={props.taskId} />}
    </details>
  );
}

function Comments(props: { readonly taskId: string }): ReactElement {
  const { taskId } = props;
  const comments = useSyncedList(useList(client.entities.comments, { where: { taskId }, orderBy: 'createdAt' }));
  return (
    <>
      <ShowList of={comments}>
        {(items) => (
          <ul className="stack">
            {items.map(({ id, body, createdAt }) => (
              <li key={id}>
                <p>{body}</p>
                <Moment at={createdAt} />
              </li>
            ))}
          </ul>
        )}
      </ShowList>
      <Form
        label="New comment"
        submit="Say it"
        tone="plain"
        clears
        send={({ body = '' }) => client.entities.comments.create({ taskId, body })}
      >
        <Field label="Comment" name="body" autoComplete="off" />
      </Form>
    </>
  );
}
