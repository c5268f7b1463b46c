import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { useLoad } from '../load/use-load.ts';
import { Moment } from '../screen/moment.tsx';

interface Comment {
  readonly id: string;
  readonly body: string;
  readonly createdAt: string;
}

/** What has been said about a task; loaded once somebody wants to see it. */
export function CommentList(props: { readonly taskId: string }): ReactElement {
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
  const topic = `comments:${taskId}`;
  const query = { 'where[taskId]': taskId, orderBy: 'createdAt:asc', limit: 100 };
  const comments = useLoad(topic, (options) =>
    client.request<{ readonly items: readonly Comment[] }>('/api/comments', { ...options, query }),
  );
  return (
    <>
      <Show of={comments}>
        {({ items }) => (
          <ul className="stack">
            {items.map(({ id, body, createdAt }) => (
              <li key={id}>
                <p>{body}</p>
                <Moment at={createdAt} />
              </li>
            ))}
          </ul>
        )}
      </Show>
      <Form
        label="New comment"
        submit="Say it"
        tone="plain"
        clears
        send={({ body }) => client.request('/api/comments', { method: 'POST', body: { taskId, body } })}
        onSent={() => tellChange(topic)}
      >
        <Field label="Comment" name="body" autoComplete="off" />
      </Form>
    </>
  );
}
