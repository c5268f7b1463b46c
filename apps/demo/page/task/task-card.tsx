import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { CommentList } from '../comment/comment-list.tsx';
import { ActionButton } from '../form/action-button.tsx';
import type { Task } from './tasks.ts';

/** One task of a board. */
export function TaskCard(props: { readonly task: Task }): ReactElement {
  const { id, title, done, priority, __access } = props.task;
  return (
    <li className="card task">
      <p>
        {title} {priority !== 'normal' && <span className={`tag ${priority}`}>{priority}</span>}
      </p>
      <p className="actions">
        <ActionButton
          label={`${done ? 'Reopen' : 'Complete'} ${title}`}
          check={__access['task:update']}
          send={() => client.entities.tasks.update(id, { done: !done })}
        >
          {done ? 'Reopen' : 'Complete'}
        </ActionButton>
        <ActionButton
          label={`Delete ${title}`}
          className="danger"
          check={__access['task:delete']}
          send={() => client.entities.tasks.delete(id)}
        >
          Delete
        </ActionButton>
      </p>
      <CommentList taskId={id} />
    </li>
  );
}
